import type { SandboxPlan } from './plan.js'

interface Program {
  file: string
  args: readonly string[]
}

/**
 * The command line of bubblewrap for a plan. The sandbox has its own processes, users, host name
 * and message queues; its network is its own unless it is on. A program in it keeps the terminal,
 * so that job control and Ctrl-C work as usual. Its environment is that of the plan: on a command
 * line every user of the machine could read it.
 */
export function bubblewrapCommand(bwrap: string, plan: SandboxPlan, { file, args }: Program): Program {
  return {
    file: bwrap,
    args: [
      ...['--unshare-user-try', '--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try'],
      ...(plan.network === 'on' ? [] : ['--unshare-net']),
      ...['--die-with-parent', '--cap-drop', 'ALL', '--hostname', 'signalbox'],
      ...plan.paths.flatMap(({ path, access }) => mount(path, access)),
      ...['--dev', '/dev', '--proc', '/proc', '--chdir', plan.cwd],
      ...['--', file, ...args],
    ],
  }
}

function mount(path: string, access: 'read' | 'write' | 'private'): string[] {
  if (path === '/dev/shm') return []
  if (access === 'private') return ['--tmpfs', path]
  return [access === 'read' ? '--ro-bind' : '--bind', path, path]
}
