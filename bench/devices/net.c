// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Netperf rows: iperf3 between two virtio cards of this guest.
 *
 * Owns: the two network namespaces, the rows, iperf3's words.
 * Not here: the cards and the hub that joins them: the bench's words for QEMU.
 * Fails: through `die()`.
 */
#include "devices.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define IPERF		"/usr/bin/iperf3"
#define HERE		"10.9.0.1"
#define THERE		"10.9.0.2"
/*
 * Below what the CPU could do, as a wire would have it: a sender that is never held up
 * mixes paths, and two boots differ by several per cent.
 */
#define PACE		"400M"
#define SAMPLES		5
#define FEW_MIB		4
#define MANY_MIB	20

/*
 * netperf's own messages are as large as its socket buffer, 16 KiB; what the tuned
 * ones were was not published, so these are what its manual tunes with.
 */
static const struct net_row {
	const char *name, *message, *window, *way;
} rows[] = {
	{ "send_default", "16K", NULL, NULL },
	{ "send_tuned", "64K", "256K", NULL },
	{ "recv_default", "16K", NULL, "-R" },
	{ "recv_tuned", "64K", "256K", "-R" },
};

static void ip(const char *text)
{
	char copy[100], *argv[16] = { "/bin/ip" }, *save = NULL, *w;
	unsigned int n = 1;

	snprintf(copy, sizeof(copy), "%s", text);
	for (w = strtok_r(copy, " ", &save); w && n < ARRAY_SIZE(argv) - 1;
	     w = strtok_r(NULL, " ", &save))
		argv[n++] = w;
	run(argv);
}

/* The other namespace: waits for its card, then serves one test after the other. */
static void serve(int ready, int go)
{
	char *argv[] = { IPERF, "-s", "-i", "0", NULL };
	char byte = 0;
	int null = open("/dev/null", O_WRONLY);

	if (unshare(CLONE_NEWNET))
		die("the kernel needs CONFIG_NET_NS");
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		die("namespace");
	ip("addr add " THERE "/24 dev eth1");
	ip("link set eth1 up");
	dup2(null, 1);
	execv(IPERF, argv);
	die(IPERF);
}

static pid_t start_server(void)
{
	int ready[2], go[2];
	char byte = 0, text[64];
	pid_t pid;

	if (pipe(ready) || pipe(go))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		serve(ready[1], go[0]);
	if (read(ready[0], &byte, 1) != 1)
		die("namespace");
	snprintf(text, sizeof(text), "link set eth1 netns %d", pid);
	ip("addr add " HERE "/24 dev eth0");
	ip("link set eth0 up");
	ip(text);
	if (write(go[1], &byte, 1) != 1)
		die("namespace");
	return pid;
}

static uint64_t transfer(const struct net_row *row, unsigned int mib)
{
	char bytes[16], *argv[20] = { IPERF, "-c", THERE, "-i", "0", "-n", bytes, "-l",
				      (char *)row->message, "-b", PACE };
	unsigned int n = 11;
	struct moment from, to;
	int out, got;
	char text[512];
	pid_t pid;

	snprintf(bytes, sizeof(bytes), "%uM", mib);
	if (row->window) {
		argv[n++] = "-w";
		argv[n++] = (char *)row->window;
	}
	if (row->way)
		argv[n++] = (char *)row->way;
	moment_now(&from);
	pid = start(argv, -1, &out);
	while ((got = read(out, text, sizeof(text) - 1)) > 0)
		if (getenv("bench_show"))
			printf("%.*s", got, text);
	finish(IPERF, pid);
	moment_now(&to);
	close(out);
	return moment_busy(&from, &to);
}

static void await_server(void)
{
	unsigned int tenths;

	/* A first connection also fills caches and resolves addresses. */
	for (tenths = 0; tenths < 100; tenths++) {
		char *argv[] = { IPERF, "-c", THERE, "-n", "1M", "-i", "0", NULL };
		int out, status;
		char text[512];
		pid_t pid = start(argv, -1, &out);

		while (read(out, text, sizeof(text)) > 0)
			;
		close(out);
		if (waitpid(pid, &status, 0) == pid && !status)
			return;
		usleep(100000);
	}
	die_plainly("iperf3: no connection between the two cards");
}

static void setting(const char *path, const char *value)
{
	FILE *f = fopen(path, "we");

	if (!f || fputs(value, f) < 0 || fclose(f))
		die(path);
}

/**
 * unit_net() - measure the rows: instructions of a transfer of 1 MiB, both sides
 *
 * What iperf3 costs besides is what it costs with fewer MiB. One transfer in a few
 * takes a path of its own: the medians of either have none of these.
 */
void unit_net(void)
{
	uint64_t few[SAMPLES], many[SAMPLES], cost;
	unsigned int i, k;
	const struct sched_param none = { 0 };
	pid_t server;

	/* Who waits for the other is decided by sockets, not by the scheduler's clock. */
	if (sched_setscheduler(0, SCHED_BATCH, &none))
		die("SCHED_BATCH");
	setting("/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
	server = start_server();

	await_server();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (k = 0; k < SAMPLES; k++) {
			few[k] = transfer(&rows[i], FEW_MIB);
			many[k] = transfer(&rows[i], MANY_MIB);
		}
		cost = (median(many, SAMPLES) - median(few, SAMPLES)) / (MANY_MIB - FEW_MIB);
		report(rows[i].name, &cost, 1);
	}
	kill(server, SIGKILL);
}
