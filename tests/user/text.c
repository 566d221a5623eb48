// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small text files of /proc and /sys.
 *
 * Owns: reading and writing them whole, and the fields that tests ask for.
 * Not here: the `paravirt/sites` table (`t_paravirt.c`).
 * Runs: in the runner and in tests; keeps no state.
 * Fails: returns say so; only `meminfo_kib()` ends the test.
 */
#include "pvtest.h"
#include <sys/klog.h>

/**
 * file_read() - read a small file as a string
 * @path: the file
 * @buf: gets the text, always terminated
 * @len_bytes: size of @buf; the rest of a longer file is dropped
 * Return: length, or -1 with errno set.
 */
long file_read(const char *path, char *buf, size_t len_bytes)
{
	size_t have = 0;
	ssize_t got = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	buf[0] = 0;
	if (fd < 0)
		return -1;
	while (have < len_bytes - 1) {
		got = read(fd, buf + have, len_bytes - 1 - have);
		if (got <= 0)
			break;
		have += got;
	}
	close(fd);
	buf[have] = 0;
	return got < 0 ? -1 : (long)have;
}

/**
 * file_write() - write a string with one write()
 * @path: an existing file
 * @text: what to write
 * Return: whether all of it was taken; errno tells otherwise.
 */
bool file_write(const char *path, const char *text)
{
	int err, fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t done;

	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text));
	err = errno;
	close(fd);
	errno = err;
	return done == (ssize_t)strlen(text);
}

/**
 * meminfo_kib() - one figure of /proc/meminfo
 * @field: its name without the colon
 * Return: KiB; 0 when this kernel has no such line.
 */
unsigned long meminfo_kib(const char *field)
{
	static char text[8192];
	char key[40];
	char *at;

	if (file_read("/proc/meminfo", text, sizeof(text)) < 0)
		fail("/proc/meminfo: %s", strerror(errno));
	snprintf(key, sizeof(key), "%s:", field);
	at = strstr(text, key);
	return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

/* Is @word one of the blank-separated words of @text? */
static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *at = text;

	while ((at = strstr(at, word))) {
		bool starts = at == text || strchr(" \t\n", at[-1]);

		if (starts && (!at[len] || strchr(" \t\n", at[len])))
			return true;
		at += len;
	}
	return false;
}

/**
 * cpu_has() - does the kernel use a CPU feature?
 * @flag: its name in /proc/cpuinfo
 */
bool cpu_has(const char *flag)
{
	static char text[16384];

	file_read("/proc/cpuinfo", text, sizeof(text));
	return has_word(text, flag);
}

/**
 * kernel_log_has() - did the kernel log a text since boot?
 * @text: part of one line
 *
 * False too when the ring buffer has lost its start.
 */
bool kernel_log_has(const char *text)
{
	static char log[1 << 20];
	int len = klogctl(3, log, sizeof(log) - 1);	/* 3: read all */

	log[len > 0 ? len : 0] = 0;
	return strstr(log, text);
}

/**
 * cmdline_has() - is a word on the kernel command line?
 * @word: the whole word
 */
bool cmdline_has(const char *word)
{
	char text[4096];

	file_read("/proc/cmdline", text, sizeof(text));
	return has_word(text, word);
}

/**
 * cmdline_value() - the value of key=value on the kernel command line
 * @key: the name
 * @buf: the value; untouched when the key is absent
 * @len_bytes: size of @buf
 * Return: whether the key is there. The last one counts.
 */
bool cmdline_value(const char *key, char *buf, size_t len_bytes)
{
	char text[4096];
	char *word, *save = NULL;
	bool found = false;
	static const char blanks[] = "\n ";
	size_t len = strlen(key);

	file_read("/proc/cmdline", text, sizeof(text));
	for (word = strtok_r(text, blanks, &save); word;
	     word = strtok_r(NULL, blanks, &save)) {
		if (strncmp(word, key, len) || word[len] != '=')
			continue;
		snprintf(buf, len_bytes, "%s", word + len + 1);
		found = true;
	}
	return found;
}
