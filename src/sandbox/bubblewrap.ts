import { LAUNCH_SCRIPT } from './open-path.js'
import type { SandboxPath, SandboxPlan } from './plan.js'

interface Program {
  file: string
  args: readonly string[]
}

/** What the machine can do besides making a sandbox. */
export interface BubblewrapLaunch {
  /** The program `unshare`, and the directory that is shared with the sandbox (open-path.ts). */
  outer?: { unshare: string; shared: string } | undefined
  /** The file of the filter of system calls (seccomp.ts). */
  filter?: string | undefined
}

/**
 * The command line of bubblewrap for a plan. The sandbox has its own processes, users, host name
 * and message queues; its network is its own unless it is on. A program in it keeps the terminal,
 * so that job control and Ctrl-C work as usual. Its environment is that of the plan: on a command
 * line every user of the machine could read it.
 */
export function bubblewrapCommand(
  bwrap: string,
  plan: SandboxPlan,
  { file, args }: Program,
  { outer, filter }: BubblewrapLaunch = {},
): Program {
  const command = [
    bwrap,
    ...users(outer !== undefined),
    ...['--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try'],
    ...(plan.network === 'on' ? [] : ['--unshare-net']),
    ...['--die-with-parent', '--cap-drop', 'ALL', '--hostname', 'signalbox'],
    ...(filter === undefined ? [] : ['--seccomp', '9']),
    ...plan.paths.flatMap(mount),
    ...['--dev', '/dev', '--proc', '/proc', '--chdir', plan.cwd],
    ...['--', file, ...args],
  ]
  if (!outer && filter === undefined) return { file: bwrap, args: command.slice(1) }
  const launch = ['/bin/sh', '-c', LAUNCH_SCRIPT, 'sh', outer?.shared ?? '', filter ?? '', ...command]
  if (!outer) return { file: '/bin/sh', args: launch.slice(1) }
  const namespaces = ['--user', '--map-root-user', '--mount', '--propagation', 'private', '--']
  return { file: outer.unshare, args: [...namespaces, ...launch] }
}

/** Outside the person is root, which `mount` asks for; in the sandbox they are themselves. */
function users(hasOuter: boolean): string[] {
  if (!hasOuter) return ['--unshare-user-try']
  return ['--unshare-user', '--uid', String(process.getuid!()), '--gid', String(process.getgid!())]
}

function mount({ path, access, source }: SandboxPath): string[] {
  if (path === '/dev/shm') return []
  if (access === 'private') return ['--tmpfs', path]
  return [access === 'read' ? '--ro-bind' : '--bind', source ?? path, path]
}
