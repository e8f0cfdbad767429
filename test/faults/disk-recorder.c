/*
 * Preloaded into a process, records what it does to the files of one folder, in order: each write with its bytes, and when a sync began
 * and ended. From the record a test makes the disk as a power cut would leave it. Built by disk-recorder.ts.
 *
 * RECORDED_FOLDER: the folder. RECORD: file of the record; an entry is a line of text and, for writes, the bytes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;
static char folder[PATH_MAX];
static long syncs = 0;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_unlink)(const char *);

__attribute__((constructor)) static void begin(void) {
  real_write = dlsym(RTLD_NEXT, "write");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  const char *of = getenv("RECORDED_FOLDER"), *to = getenv("RECORD");
  if (of == NULL || to == NULL) return;
  snprintf(folder, sizeof folder, "%s/", of);
  record = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* The file's name below the folder, or 0 for any other file. */
static int named(int fd, char *name) {
  char link[64], path[PATH_MAX];
  if (record < 0 || fd == record) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  if (strncmp(path, folder, strlen(folder)) != 0) return 0;
  snprintf(name, NAME_MAX, "%s", path + strlen(folder));
  return 1;
}

static void put(const char *kind, const char *name, long long at, long long count, const void *bytes) {
  char line[NAME_MAX + 80];
  int length = snprintf(line, sizeof line, "%s %lld %lld %s\n", kind, at, count, name);
  real_write(record, line, length);
  for (size_t done = 0; bytes != NULL && done < (size_t)count;) {
    ssize_t some = real_write(record, (const char *)bytes + done, (size_t)count - done);
    if (some <= 0) abort();
    done += (size_t)some;
  }
}

static ssize_t written(int fd, const void *bytes, size_t count, off_t at, int positioned) {
  char name[NAME_MAX];
  int errno_then = errno;
  if (!named(fd, name)) {
    errno = errno_then;
    return positioned ? real_pwrite(fd, bytes, count, at) : real_write(fd, bytes, count);
  }
  pthread_mutex_lock(&lock);
  if (!positioned) at = (fcntl(fd, F_GETFL) & O_APPEND) ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
  ssize_t done = positioned ? real_pwrite(fd, bytes, count, at) : real_write(fd, bytes, count);
  if (done > 0) put("write", name, at, done, bytes);
  pthread_mutex_unlock(&lock);
  return done;
}

ssize_t write(int fd, const void *bytes, size_t count) { return written(fd, bytes, count, 0, 0); }
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return written(fd, bytes, count, at, 1); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) { return written(fd, bytes, count, at, 1); }
ssize_t writev(int fd, const struct iovec *parts, int count) {
  ssize_t sum = 0;
  for (int index = 0; index < count; index += 1) {
    ssize_t done = write(fd, parts[index].iov_base, parts[index].iov_len);
    if (done < 0) return sum > 0 ? sum : done;
    sum += done;
    if ((size_t)done < parts[index].iov_len) return sum;
  }
  return sum;
}

static int truncated(int fd, off_t size) {
  char name[NAME_MAX];
  if (!named(fd, name)) return real_ftruncate(fd, size);
  pthread_mutex_lock(&lock);
  int result = real_ftruncate(fd, size);
  if (result == 0) put("truncate", name, size, 0, NULL);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate(int fd, off_t size) { return truncated(fd, size); }
int ftruncate64(int fd, off64_t size) { return truncated(fd, size); }

/* What was written before a sync began is on disk once it has ended. */
static int synced(int fd, int (*real)(int)) {
  char name[NAME_MAX];
  if (!named(fd, name)) return real(fd);
  pthread_mutex_lock(&lock);
  long number = syncs++;
  put("sync-begins", name, number, 0, NULL);
  pthread_mutex_unlock(&lock);
  int result = real(fd);
  pthread_mutex_lock(&lock);
  if (result == 0) put("sync-ended", name, number, 0, NULL);
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int fd) { return synced(fd, real_fsync); }
int fdatasync(int fd) { return synced(fd, real_fdatasync); }

int unlink(const char *path) {
  pthread_mutex_lock(&lock);
  int result = real_unlink(path);
  if (record >= 0 && result == 0 && strncmp(path, folder, strlen(folder)) == 0) put("unlink", path + strlen(folder), 0, 0, NULL);
  pthread_mutex_unlock(&lock);
  return result;
}
