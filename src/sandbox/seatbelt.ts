import type { SandboxPlan } from './plan.js'

/**
 * The profile of macOS's `sandbox-exec` for a plan. Its last matching rule counts, so the order of
 * the plan is that of the rules.
 */
export function seatbeltProfile(plan: SandboxPlan): string {
  const rules = plan.paths.flatMap(({ path, access }) => {
    const filter = path === '/' ? '' : ` (subpath ${quoted(path)})`
    if (access === 'private') return [`(deny file-read* file-write*${filter})`]
    return [`(allow file-read*${filter})`, `(${access === 'write' ? 'allow' : 'deny'} file-write*${filter})`]
  })
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork signal (target same-sandbox))',
    '(allow sysctl-read mach-lookup ipc-posix-shm pseudo-tty)',
    ...rules,
    '(allow file-read* file-write* file-ioctl (regex #"^/dev/(tty|ttys[0-9]+|null|zero|random|urandom|fd/.*)$"))',
    plan.network === 'on' ? '(allow network*)' : '(deny network*)',
    ...(plan.network === 'filtered'
      ? [
          '(allow network-outbound (remote unix-socket))',
          '(allow network* (local ip "localhost:*") (remote ip "localhost:*"))',
        ]
      : []),
    '',
  ].join('\n')
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
