import type { SandboxPlan } from './plan.js'

interface Program {
  file: string
  args: readonly string[]
}

/**
 * The command line of docker or podman for a plan. The image has the programs; of the machine only
 * what the plan lets an agent write, and what Signalbox adds for this session, is visible.
 */
export function containerCommand(
  engine: string,
  image: string,
  plan: SandboxPlan,
  { file, args }: Program,
  user: string | null,
): Program {
  const mounts = plan.paths.filter(
    ({ path, access, why }) => path !== '/' && access !== 'private' && why !== 'programs',
  )
  return {
    file: engine,
    args: [
      ...['run', '--rm', '-i', '-t', '--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL'],
      ...['--security-opt', 'no-new-privileges', '--workdir', plan.cwd],
      ...(plan.network === 'on' ? [] : ['--network', 'none']),
      ...(user === null ? [] : ['--user', user]),
      ...mounts.flatMap(({ path, access, source = path }) => [
        '--mount',
        `type=bind,source=${source},target=${path}${access === 'read' ? ',readonly' : ''}`,
      ]),
      // By name: the values do not appear in the list of processes.
      ...Object.keys(plan.env).flatMap(name => ['--env', name]),
      ...[image, file, ...args],
    ],
  }
}
