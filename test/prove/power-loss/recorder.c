/*
 * A library for LD_PRELOAD. It records the file system calls of a program in one folder, its fsyncs, and its output to
 * sockets and stdout, in order. Every call still has its usual effect. event-log.ts reads the event log.
 *
 *   POWER_LOSS_ROOT  the recorded folder, an absolute path without symbolic links
 *   POWER_LOSS_LOG   the event log, opened for appending. Several programs can share it.
 *   POWER_LOSS_STOP  if this file exists at the next fsync of a WAL, the program removes it and kills itself
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OUTPUT_MAX = 4096, KNOWN_MAX = 65536 };

struct entry {
  uint32_t kind;
  uint32_t length;
  uint64_t inode;
  uint64_t offset;
};

static const char *root, *stop;
static size_t root_length;
static dev_t device;
static int log_descriptor = -1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static ino_t known[KNOWN_MAX];
static size_t known_count;

/*
 * A call and its entry are atomic, so that the entries are in the order of the calls. Signals are blocked because their
 * handlers write too.
 */
static void lock(sigset_t *before) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, before);
  pthread_mutex_lock(&turn);
}

static void unlock(const sigset_t *before) {
  int error = errno;
  pthread_mutex_unlock(&turn);
  pthread_sigmask(SIG_SETMASK, before, NULL);
  errno = error;
}

static void fail(const char *why) {
  dprintf(2, "power-loss: %s: %s\n", why, strerror(errno));
  abort();
}

static void append(char kind, ino_t inode, off_t offset, const void *bytes, size_t length) {
  struct entry head = {(uint32_t)kind, (uint32_t)length, inode, (uint64_t)offset};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)bytes, length}};
  ssize_t written = syscall(SYS_writev, log_descriptor, parts, length > 0 ? 2 : 1);
  if (written != (ssize_t)(sizeof head + length)) fail("can't write the event log");
}

static int is_known(ino_t inode) {
  for (size_t i = known_count; i > 0; i--) {
    if (known[i - 1] == inode) return 1;
  }
  return 0;
}

static void remember(ino_t inode) {
  if (is_known(inode)) return;
  if (known_count == KNOWN_MAX) fail("too many files");
  known[known_count++] = inode;
}

__attribute__((constructor)) static void start(void) {
  struct stat state;
  const char *log = getenv("POWER_LOSS_LOG");
  root = getenv("POWER_LOSS_ROOT");
  stop = getenv("POWER_LOSS_STOP");
  if (root == NULL || log == NULL) return;
  root_length = strlen(root);
  int opened = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  /* A high number, so that the program gets the same descriptors as without the recorder. */
  log_descriptor = opened < 0 ? -1 : fcntl(opened, F_DUPFD_CLOEXEC, 512);
  if (log_descriptor < 0 || stat(root, &state) != 0) fail("can't start");
  syscall(SYS_close, opened);
  device = state.st_dev;
  remember(state.st_ino);
  append('S', state.st_ino, getpid(), root, root_length);
}

/* Writes the absolute path to `out`. Returns whether it is in the recorded folder. */
static int is_inside(int folder, const char *path, char *out) {
  if (log_descriptor < 0 || path == NULL) return 0;
  int length = 0;
  if (path[0] == '/') {
    length = snprintf(out, PATH_MAX, "%s", path);
  } else {
    char link[64], base[PATH_MAX];
    if (folder == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t size = readlink(link, base, sizeof base - 1);
    if (size < 0) return 0;
    length = snprintf(out, PATH_MAX, "%.*s/%s", (int)size, base, path);
  }
  return length < PATH_MAX && strncmp(out, root, root_length) == 0 && (out[root_length] == '/' || out[root_length] == 0);
}

/* Returns whether the descriptor is a recorded file or folder, and fills `state`. */
static int is_recorded(int descriptor, struct stat *state) {
  if (log_descriptor < 0 || fstat(descriptor, state) != 0) return 0;
  return (S_ISREG(state->st_mode) || S_ISDIR(state->st_mode)) && state->st_dev == device && is_known(state->st_ino);
}

static int open_at(int folder, const char *path, int flags, mode_t mode) {
  char full[PATH_MAX];
  struct stat state;
  if (!is_inside(folder, path, full)) return syscall(SYS_openat, folder, path, flags, mode);
  sigset_t signals;
  lock(&signals);
  int fresh = (flags & O_CREAT) != 0 && lstat(full, &state) != 0;
  int opened = syscall(SYS_openat, folder, path, flags, mode);
  if (opened >= 0 && fstat(opened, &state) == 0) {
    remember(state.st_ino);
    if (fresh) append('c', state.st_ino, 0, full, strlen(full));
    else if ((flags & O_TRUNC) != 0) append('t', state.st_ino, 0, NULL, 0);
  }
  unlock(&signals);
  return opened;
}

#define MODE_OF(flags, mode)                         \
  mode_t mode = 0;                                   \
  if (((flags) & (O_CREAT | __O_TMPFILE)) != 0) {    \
    va_list more;                                    \
    va_start(more, flags);                           \
    mode = va_arg(more, mode_t);                     \
    va_end(more);                                    \
  }

int open64(const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(AT_FDCWD, path, flags, mode);
}
int open(const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(AT_FDCWD, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(folder, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(folder, path, flags, mode);
}

/* Records output before it is sent: what a response confirms must be durable by then. */
static void record_output(int descriptor, const struct iovec *parts, int count) {
  struct stat state;
  if (log_descriptor < 0 || fstat(descriptor, &state) != 0) return;
  if (!S_ISSOCK(state.st_mode) && !(descriptor == 1 && S_ISFIFO(state.st_mode))) return;
  char text[OUTPUT_MAX];
  size_t length = 0;
  for (int i = 0; i < count && length < OUTPUT_MAX; i++) {
    size_t more = parts[i].iov_len < OUTPUT_MAX - length ? parts[i].iov_len : OUTPUT_MAX - length;
    memcpy(text + length, parts[i].iov_base, more);
    length += more;
  }
  append('a', 0, descriptor, text, length);
}

/* Writes at `offset`, or at the current position of the descriptor if it is -1. */
static ssize_t write_at(int descriptor, const struct iovec *parts, int count, off_t offset) {
  struct stat state;
  sigset_t signals;
  lock(&signals);
  int recorded = is_recorded(descriptor, &state);
  if (!recorded) record_output(descriptor, parts, count);
  off_t at = offset;
  if (recorded && offset < 0)
    at = (fcntl(descriptor, F_GETFL) & O_APPEND) ? state.st_size : lseek(descriptor, 0, SEEK_CUR);
  ssize_t written = offset < 0 ? syscall(SYS_writev, descriptor, parts, count)
                               : syscall(SYS_pwritev, descriptor, parts, count, (long)offset, 0L);
  ssize_t left = recorded ? written : 0;
  for (int i = 0; i < count && left > 0; i++) {
    size_t size = (ssize_t)parts[i].iov_len < left ? parts[i].iov_len : (size_t)left;
    append('w', state.st_ino, at, parts[i].iov_base, size);
    at += size;
    left -= size;
  }
  unlock(&signals);
  return written;
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  struct iovec part = {(void *)bytes, length};
  return write_at(descriptor, &part, 1, -1);
}
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  return write_at(descriptor, parts, count, -1);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
  struct iovec part = {(void *)bytes, length};
  return write_at(descriptor, &part, 1, offset);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  return pwrite64(descriptor, bytes, length, offset);
}
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
  return write_at(descriptor, parts, count, offset);
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return write_at(descriptor, parts, count, offset);
}
ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
  sigset_t signals;
  lock(&signals);
  record_output(descriptor, message->msg_iov, (int)message->msg_iovlen);
  ssize_t sent = syscall(SYS_sendmsg, descriptor, message, flags);
  unlock(&signals);
  return sent;
}

int ftruncate64(int descriptor, off64_t size) {
  struct stat state;
  sigset_t signals;
  lock(&signals);
  int recorded = is_recorded(descriptor, &state);
  int result = syscall(SYS_ftruncate, descriptor, size);
  if (recorded && result == 0) append('t', state.st_ino, size, NULL, 0);
  unlock(&signals);
  return result;
}
int ftruncate(int descriptor, off_t size) {
  return ftruncate64(descriptor, size);
}

/* If several programs run, only the one that removes the file dies. */
static void die_before_sync(int descriptor) {
  char link[64], path[PATH_MAX];
  if (stop == NULL || access(stop, F_OK) != 0) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t size = readlink(link, path, sizeof path);
  int is_log = size > 4 && memcmp(path + size - 4, "-wal", 4) == 0;
  if (is_log && syscall(SYS_unlinkat, AT_FDCWD, stop, 0) == 0) kill(getpid(), SIGKILL);
}

static int sync_with(long call, int descriptor) {
  struct stat state;
  sigset_t signals;
  lock(&signals);
  int recorded = is_recorded(descriptor, &state);
  if (recorded) die_before_sync(descriptor);
  int result = syscall(call, descriptor);
  if (recorded && result == 0) append('f', state.st_ino, 0, NULL, 0);
  unlock(&signals);
  return result;
}
int fsync(int descriptor) {
  return sync_with(SYS_fsync, descriptor);
}
int fdatasync(int descriptor) {
  return sync_with(SYS_fdatasync, descriptor);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  char full[PATH_MAX];
  struct stat state;
  int recorded = is_inside(to_folder, to, full);
  sigset_t signals;
  lock(&signals);
  int result = syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
  if (recorded && result == 0 && lstat(full, &state) == 0) append('l', state.st_ino, 0, full, strlen(full));
  unlock(&signals);
  return result;
}
int link(const char *from, const char *to) {
  return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int folder, const char *path, int flags) {
  char full[PATH_MAX];
  int recorded = is_inside(folder, path, full);
  sigset_t signals;
  lock(&signals);
  int result = syscall(SYS_unlinkat, folder, path, flags);
  if (recorded && result == 0) append('u', 0, 0, full, strlen(full));
  unlock(&signals);
  return result;
}
int unlink(const char *path) {
  return unlinkat(AT_FDCWD, path, 0);
}
int rmdir(const char *path) {
  return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(const char *path) {
  struct stat state;
  return lstat(path, &state) == 0 && S_ISDIR(state.st_mode) ? rmdir(path) : unlink(path);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  char both[2 * PATH_MAX];
  int recorded = is_inside(from_folder, from, both);
  size_t length = recorded ? strlen(both) + 1 : 0;
  recorded = is_inside(to_folder, to, both + length) && recorded;
  sigset_t signals;
  lock(&signals);
  int result = syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  if (recorded && result == 0) append('r', 0, 0, both, length + strlen(both + length));
  unlock(&signals);
  return result;
}
int rename(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int mkdirat(int folder, const char *path, mode_t mode) {
  char full[PATH_MAX];
  struct stat state;
  int recorded = is_inside(folder, path, full);
  sigset_t signals;
  lock(&signals);
  int result = syscall(SYS_mkdirat, folder, path, mode);
  if (recorded && result == 0 && lstat(full, &state) == 0) {
    remember(state.st_ino);
    append('d', state.st_ino, 0, full, strlen(full));
  }
  unlock(&signals);
  return result;
}
int mkdir(const char *path, mode_t mode) {
  return mkdirat(AT_FDCWD, path, mode);
}
