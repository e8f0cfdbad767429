/*
 * Preloaded into a process, makes each sync of a file below one folder take longer, as a disk that is slow or shared does. Built by slow-disk.ts.
 *
 * SLOW_FOLDER: the folder. SLOW_SYNC_MS: how much longer.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_slow(int fd) {
  char link[64], path[PATH_MAX];
  const char *folder = getenv("SLOW_FOLDER");
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (folder == NULL || length < 0) return 0;
  path[length] = 0;
  return strncmp(path, folder, strlen(folder)) == 0;
}

static int slowly(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const char *ms = getenv("SLOW_SYNC_MS");
  if (is_slow(fd)) usleep(1000 * (ms == NULL ? 0 : atoi(ms)));
  return real(fd);
}

int fsync(int fd) { return slowly("fsync", fd); }
int fdatasync(int fd) { return slowly("fdatasync", fd); }
