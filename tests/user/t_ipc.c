// SPDX-License-Identifier: GPL-2.0-only
/* Bytes between processes: pipes, local sockets, TCP over loopback, poll. */
#include "pvtest.h"
#include <arpa/inet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define STREAM_BYTES	(512u << 10)

static unsigned char pattern(unsigned int i)
{
	return (unsigned char)(i * 31 + (i >> 8));
}

static void send_stream(void *arg)
{
	int fd = *(int *)arg;
	static unsigned char buf[3000];
	unsigned int sent = 0, i, n;
	ssize_t done = 0;

	for (; sent < STREAM_BYTES && done >= 0; sent += done) {
		n = STREAM_BYTES - sent;
		n = n < sizeof(buf) ? n : sizeof(buf);
		for (i = 0; i < n; i++)
			buf[i] = pattern(sent + i);
		done = write(fd, buf, n);
	}
	CHECK_EQ(sent, STREAM_BYTES);
}

static void expect_stream(int fd)
{
	static unsigned char buf[5000];
	unsigned int got = 0;
	ssize_t n, i;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		for (i = 0; i < n && buf[i] == pattern(got); i++)
			got++;
		if (i < n || got == STREAM_BYTES)
			break;
	}
	/* Where the stream broke off, or turned wrong. */
	CHECK_EQ(got, STREAM_BYTES);
}

void test_pipe_stream(void)
{
	int p[2];
	pid_t pid;

	SYS(pipe(p));
	pid = child_start(send_stream, &p[1]);
	expect_stream(p[0]);
	child_join(pid);
}

void test_pipe_closed(void)
{
	struct pollfd pfd = { .events = POLLIN };
	int p[2];
	char c;

	signal(SIGPIPE, SIG_IGN);
	SYS(pipe(p));
	pfd.fd = p[0];
	CHECK_EQ(poll(&pfd, 1, 2), 0);
	SYS(write(p[1], "a", 1));
	CHECK_EQ(poll(&pfd, 1, 1000), 1);
	CHECK_EQ(read(p[0], &c, 1), 1);
	SYS(close(p[1]));
	CHECK_EQ(read(p[0], &c, 1), 0);
	SYS(pipe(p));
	SYS(close(p[0]));
	CHECK_EQ(write(p[1], "a", 1), -1);
	CHECK_EQ(errno, EPIPE);
}

void test_socketpair(void)
{
	int s[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, s))
		skip("no AF_UNIX sockets: %s (CONFIG_UNIX)", strerror(errno));
	pid = child_start(send_stream, &s[1]);
	expect_stream(s[0]);
	child_join(pid);
}

void test_pass_descriptor(void)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = "f", .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int s[2], p[2], fd;
	char byte;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, s))
		skip("no AF_UNIX sockets: %s (CONFIG_UNIX)", strerror(errno));
	SYS(pipe(p));
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &p[1], sizeof(int));
	SYS(sendmsg(s[0], &msg, 0));
	iov.iov_base = &byte;
	SYS(recvmsg(s[1], &msg, 0));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	SYS(write(fd, "Z", 1));
	SYS(read(p[0], &byte, 1));
	CHECK_EQ(byte, 'Z');
}

static void loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo" };
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	if (s < 0)
		skip("no AF_INET sockets: %s (CONFIG_INET)", strerror(errno));
	ioctl(s, SIOCGIFFLAGS, &ifr);
	ifr.ifr_flags |= IFF_UP;
	ioctl(s, SIOCSIFFLAGS, &ifr);
	close(s);
}

void test_tcp_loopback(void)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(sin);
	int listener, client, server;
	pid_t pid;

	loopback_up();
	listener = SYS(socket(AF_INET, SOCK_STREAM, 0));
	SYS(bind(listener, (struct sockaddr *)&sin, sizeof(sin)));
	SYS(listen(listener, 1));
	SYS(getsockname(listener, (struct sockaddr *)&sin, &len));
	client = SYS(socket(AF_INET, SOCK_STREAM, 0));
	SYS(connect(client, (struct sockaddr *)&sin, sizeof(sin)));
	server = SYS(accept(listener, NULL, NULL));
	pid = child_start(send_stream, &client);
	expect_stream(server);
	child_join(pid);
}
