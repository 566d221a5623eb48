// SPDX-License-Identifier: GPL-2.0-only
/*
 * TCP and UDP over the loopback device.
 *
 * Owns: that device's coming up, and connected pairs of sockets.
 * Not here: what a row does with them (`lmbench_ipc.h`).
 * Fails: through `bench_die()`.
 */
#include "lmbench_ipc.h"
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define PORT	7000

void lm_loopback_up(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request))
		bench_die("lo");
	request.ifr_flags |= IFF_UP | IFF_RUNNING;
	if (ioctl(fd, SIOCSIFFLAGS, &request))
		bench_die("lo");
	close(fd);
}

static struct sockaddr_in address(unsigned short port)
{
	struct sockaddr_in where = { .sin_family = AF_INET, .sin_port = htons(port) };

	where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return where;
}

static int bound_socket(int type, unsigned short port)
{
	struct sockaddr_in where = address(port);
	int fd = socket(AF_INET, type, 0), yes = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(fd, (struct sockaddr *)&where, sizeof(where)))
		bench_die("bind");
	return fd;
}

static void connect_to(int fd, unsigned short port)
{
	struct sockaddr_in where = address(port);

	if (connect(fd, (struct sockaddr *)&where, sizeof(where)))
		bench_die("connect");
}

static struct lm_ends udp_sockets(void)
{
	int ends[2];

	ends[0] = bound_socket(SOCK_DGRAM, PORT);
	ends[1] = bound_socket(SOCK_DGRAM, PORT + 1);
	connect_to(ends[0], PORT + 1);
	connect_to(ends[1], PORT);
	return lm_sockets(ends);
}

static struct lm_ends tcp_sockets(void)
{
	int listening = bound_socket(SOCK_STREAM, PORT), yes = 1, ends[2], i;

	ends[0] = bound_socket(SOCK_STREAM, PORT + 1);
	if (listen(listening, 1))
		bench_die("listen");
	connect_to(ends[0], PORT);
	ends[1] = accept(listening, NULL, NULL);
	if (ends[1] < 0)
		bench_die("accept");
	for (i = 0; i < 2; i++)
		if (setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)))
			bench_die("TCP_NODELAY");
	close(listening);
	return lm_sockets(ends);
}

LM_ROW(lm_lat_udp)
{
	return lm_latency(samples, count, udp_sockets());
}

LM_ROW(lm_lat_tcp)
{
	return lm_latency(samples, count, tcp_sockets());
}

LM_ROW(lm_bw_tcp)
{
	return lm_bandwidth(samples, count, tcp_sockets());
}
