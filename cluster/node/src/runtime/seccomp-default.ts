import type { SeccompProfile, SeccompRule } from "./seccomp.ts";

/**
 * What `RuntimeDefault` means here: the calls that containers of Docker and containerd may make, and no others. A
 * capability that a container has opens the calls that are of use only with it.
 */
export function defaultSeccomp(capabilities: ReadonlySet<string>, machine = process.arch): SeccompProfile {
  const granted = Object.entries(withCapability).flatMap(([capability, names]) =>
    capabilities.has(capability) ? names : [],
  );
  const mayMakeNamespaces = capabilities.has("CAP_SYS_ADMIN");
  return {
    defaultAction: "SCMP_ACT_ERRNO",
    defaultErrnoRet: notPermitted,
    architectures: architectures[machine] ?? [],
    syscalls: [
      allow([...Object.values(always).flat(), ...granted, ...(withMachine[machine] ?? [])]),
      // No vsock: by it one reaches the hypervisor.
      allow(["socket"], { index: 0, value: 40, op: "SCMP_CMP_NE" }),
      ...personalities.map((value) => allow(["personality"], { index: 0, value, op: "SCMP_CMP_EQ" })),
      ...(mayMakeNamespaces
        ? []
        : [
            allow(["clone"], { index: 0, value: namespaceFlags, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }),
            // Its flags lie in memory, where no filter sees them: programs fall back on `clone`.
            { names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: notImplemented } as const,
          ]),
    ],
  };
}

/** EPERM and ENOSYS. */
const notPermitted = 1;
const notImplemented = 38;

/** Every CLONE_NEW* flag but the one for time, which `clone` does not know. */
const namespaceFlags = 0x7e02_0000;

/** Linux, with 32-bit `uname`, both, with legacy addresses, and the question which one it is. */
const personalities = [0, 0x8, 0x2_0000, 0x2_0008, 0xffff_ffff];

const architectures: Readonly<Record<string, readonly string[]>> = {
  x64: ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"],
  arm64: ["SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"],
};

const withMachine: Readonly<Record<string, readonly string[]>> = {
  x64: ["arch_prctl", "modify_ldt"],
  arm64: words("arm_fadvise64_64 arm_sync_file_range sync_file_range2 breakpoint cacheflush set_tls"),
};

const withCapability: Readonly<Record<string, readonly string[]>> = {
  CAP_BPF: ["bpf"],
  CAP_DAC_READ_SEARCH: ["open_by_handle_at"],
  CAP_PERFMON: ["perf_event_open"],
  CAP_SYSLOG: ["syslog"],
  CAP_SYS_ADMIN: words(`
    bpf clone clone3 fanotify_init fsconfig fsmount fsopen fspick lookup_dcookie mount mount_setattr move_mount
    open_tree perf_event_open quotactl quotactl_fd setdomainname sethostname setns syslog umount umount2 unshare`),
  CAP_SYS_BOOT: ["reboot"],
  CAP_SYS_CHROOT: ["chroot"],
  CAP_SYS_MODULE: ["delete_module", "finit_module", "init_module"],
  CAP_SYS_NICE: ["get_mempolicy", "mbind", "set_mempolicy", "set_mempolicy_home_node"],
  CAP_SYS_PACCT: ["acct"],
  CAP_SYS_PTRACE: ["kcmp", "pidfd_getfd", "process_madvise"],
  CAP_SYS_RAWIO: ["ioperm", "iopl"],
  CAP_SYS_TIME: ["clock_settime", "clock_settime64", "settimeofday", "stime"],
  CAP_SYS_TTY_CONFIG: ["vhangup"],
};

/** Without io_uring, whose queues pass every filter by, and without keyrings, which are not namespaced. */
const always = {
  files: words(`
    access chdir chmod chown chown32 close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2
    fadvise64 fadvise64_64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchown32 fchownat fcntl fcntl64 fdatasync
    fgetxattr flistxattr flock fremovexattr fsetxattr fstat fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate
    ftruncate64 futimesat getcwd getdents getdents64 getxattr ioctl lchown lchown32 lgetxattr link linkat listxattr
    llistxattr _llseek lremovexattr lseek lsetxattr lstat lstat64 mkdir mkdirat mknod mknodat name_to_handle_at
    newfstatat open openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat
    readv removexattr rename renameat renameat2 rmdir sendfile sendfile64 setxattr splice stat stat64 statfs statfs64
    statx symlink symlinkat sync sync_file_range syncfs tee truncate truncate64 umask unlink unlinkat utime utimensat
    utimensat_time64 utimes vmsplice write writev`),
  watching: words(`
    epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd
    eventfd2 fanotify_mark inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy
    io_getevents io_pgetevents io_pgetevents_time64 io_setup io_submit _newselect pipe pipe2 poll ppoll ppoll_time64
    pselect6 pselect6_time64 select signalfd signalfd4`),
  memory: words(`
    brk cachestat madvise map_shadow_stack membarrier memfd_create memfd_secret mincore mlock mlock2 mlockall mmap mmap2
    mprotect mremap msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect process_mrelease
    remap_file_pages`),
  processes: words(`
    capget capset execve execveat exit exit_group fork getcpu getpgid getpgrp getpid getppid getpriority getrlimit
    get_robust_list getrusage getsid gettid get_thread_area ioprio_get ioprio_set kill landlock_add_rule
    landlock_create_ruleset landlock_restrict_self pidfd_open pidfd_send_signal prctl prlimit64 process_vm_readv
    process_vm_writev ptrace rseq sched_getaffinity sched_getattr sched_getparam sched_get_priority_max
    sched_get_priority_min sched_getscheduler sched_rr_get_interval sched_rr_get_interval_time64 sched_setaffinity
    sched_setattr sched_setparam sched_setscheduler sched_yield seccomp setpgid setpriority setrlimit set_robust_list
    setsid set_thread_area set_tid_address sysinfo tgkill times tkill ugetrlimit uname vfork wait4 waitid waitpid`),
  users: words(`
    getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32 getresgid getresgid32 getresuid
    getresuid32 getuid getuid32 setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups setgroups32 setregid
    setregid32 setresgid setresgid32 setresuid setresuid32 setreuid setreuid32 setuid setuid32`),
  signals: words(`
    alarm getitimer pause restart_syscall rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn
    rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo setitimer sigaltstack sigprocmask sigreturn`),
  time: words(`
    adjtimex clock_adjtime clock_adjtime64 clock_getres clock_getres_time64 clock_gettime clock_gettime64
    clock_nanosleep clock_nanosleep_time64 gettimeofday nanosleep time timer_create timer_delete timer_getoverrun
    timer_gettime timer_gettime64 timer_settime timer_settime64 timerfd_create timerfd_gettime timerfd_gettime64
    timerfd_settime timerfd_settime64`),
  talking: words(`
    accept accept4 bind connect futex futex_requeue futex_time64 futex_wait futex_waitv futex_wake getpeername
    getrandom getsockname getsockopt ipc listen mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedreceive_time64
    mq_timedsend mq_timedsend_time64 mq_unlink msgctl msgget msgrcv msgsnd recv recvfrom recvmmsg recvmmsg_time64
    recvmsg semctl semget semop semtimedop semtimedop_time64 send sendmmsg sendmsg sendto setsockopt shmat shmctl shmdt
    shmget shutdown socketcall socketpair`),
} as const;

function allow(names: readonly string[], ...args: NonNullable<SeccompRule["args"]>): SeccompRule {
  return { names, action: "SCMP_ACT_ALLOW", ...(args.length > 0 && { args }) };
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/u);
}
