/* Counts the fsyncs of a program in the file that BENCH_SYNCS names, and makes each take
   BENCH_SYNC_MS longer. A second number counts its pwrite64 calls of a page or more. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static long *count;
static long wait_ms;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("BENCH_SYNCS");
  const char *ms = getenv("BENCH_SYNC_MS");
  wait_ms = ms ? atol(ms) : 0;
  int fd = path ? open(path, O_RDWR) : -1;
  if (fd < 0) return;
  void *place = mmap(NULL, 2 * sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (place != MAP_FAILED) count = place;
}

static void noted(void) {
  struct timespec wait = {wait_ms / 1000, (wait_ms % 1000) * 1000000};
  if (count) __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
  if (wait_ms) nanosleep(&wait, NULL);
}

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fsync");
  noted();
  return real(fd);
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
  noted();
  return real(fd);
}

/* SQLite writes the database file and its WAL so, each page with one call. */
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
  if (count && size >= 4096) __atomic_add_fetch(count + 1, 1, __ATOMIC_RELAXED);
  return real(fd, data, size, at);
}
