// SPDX-License-Identifier: GPL-2.0-only
/* Modules: each .ko of /modules goes in, is listed, comes out again. */
#include "pvtest.h"
#include <dirent.h>

/* The name the kernel lists: the file's, without .ko, dashes as underscores. */
static void module_name(const char *file, char *name, size_t len)
{
	char *c;

	snprintf(name, len, "%s", file);
	name[strlen(name) - 3] = 0;
	for (c = name; *c; c++)
		if (*c == '-')
			*c = '_';
}

static bool listed(const char *name)
{
	char text[8192], line[80];

	CHECK(file_read("/proc/modules", text, sizeof(text)) >= 0);
	snprintf(line, sizeof(line), "%s ", name);
	return !strncmp(text, line, strlen(line)) || strstr(text, line);
}

static void in_and_out(const char *path, const char *name)
{
	int fd = SYS(open(path, O_RDONLY)), i;

	for (i = 0; i < 2; i++) {
		if (syscall(SYS_finit_module, fd, "", 0))
			fail("loading %s: %s", path, strerror(errno));
		CHECK(listed(name));
		if (syscall(SYS_delete_module, name, O_NONBLOCK))
			fail("unloading %s: %s", name, strerror(errno));
		CHECK(!listed(name));
	}
	close(fd);
}

void test_module_load(void)
{
	DIR *dir = opendir("/modules");
	unsigned int done = 0;
	struct dirent *d;
	char path[300], name[256];

	if (access("/proc/modules", F_OK))
		skip("kernel without modules (CONFIG_MODULES)");
	while (dir && (d = readdir(dir))) {
		size_t len = strlen(d->d_name);

		if (len < 4 || strcmp(d->d_name + len - 3, ".ko"))
			continue;
		snprintf(path, sizeof(path), "/modules/%s", d->d_name);
		module_name(d->d_name, name, sizeof(name));
		in_and_out(path, name);
		done++;
	}
	if (!done)
		skip("no .ko in /modules");
}
