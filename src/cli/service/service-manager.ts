import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../process/index.js'
import { LAUNCHD_LABEL, launchdPlist, type ServiceProgram, systemdUnit } from './service-files.js'

/** The service manager of this system: where its file is, and the commands that use it. */
export interface ServiceManager {
  name: 'systemd' | 'launchd'
  file: string
  content(program: ServiceProgram): string
  /** Fails where this service manager does not run for the user; changes nothing. */
  probe: readonly string[]
  /** Each is a program and its arguments; the first that fails ends the list. */
  install: readonly (readonly string[])[]
  remove: readonly (readonly string[])[]
  /** Its exit code is 0 while the service runs. */
  isRunning: readonly string[]
  /** What a person must do so that it also starts without their login. */
  atBoot: string | null
}

const SYSTEMD_UNIT = 'signalbox.service'

export function serviceManager(
  env: NodeJS.ProcessEnv,
  { platform, logFile }: { platform: NodeJS.Platform; logFile: string },
): ServiceManager | null {
  const home = env.HOME ?? homedir()
  if (platform === 'linux')
    return {
      name: 'systemd',
      file: join(env.XDG_CONFIG_HOME ?? join(home, '.config'), 'systemd', 'user', SYSTEMD_UNIT),
      content: systemdUnit,
      probe: ['systemctl', '--user', 'show-environment'],
      install: [
        ['systemctl', '--user', 'daemon-reload'],
        ['systemctl', '--user', 'enable', SYSTEMD_UNIT],
        ['systemctl', '--user', 'restart', SYSTEMD_UNIT],
      ],
      remove: [['systemctl', '--user', 'disable', '--now', SYSTEMD_UNIT]],
      isRunning: ['systemctl', '--user', 'is-active', '--quiet', SYSTEMD_UNIT],
      atBoot: `loginctl enable-linger ${userInfo().username}`,
    }
  if (platform !== 'darwin') return null
  const file = join(home, 'Library', 'LaunchAgents', `${LAUNCHD_LABEL}.plist`)
  const domain = `gui/${process.getuid?.() ?? 0}`
  return {
    name: 'launchd',
    file,
    content: program => launchdPlist(program, logFile),
    probe: ['launchctl', 'print', domain],
    install: [
      ['launchctl', 'bootstrap', domain, file],
      ['launchctl', 'kickstart', `${domain}/${LAUNCHD_LABEL}`],
    ],
    remove: [['launchctl', 'bootout', `${domain}/${LAUNCHD_LABEL}`]],
    isRunning: ['launchctl', 'print', `${domain}/${LAUNCHD_LABEL}`],
    atBoot: null,
  }
}

/** Runs a command of the service manager. A program that is not there fails like any other. */
export async function callManager(
  [file, ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ isOk: boolean; message: string }> {
  try {
    const { code, stderr } = await runCommand(file!, args, { cwd: '/', env, timeoutMs: 60_000 })
    return { isOk: code === 0, message: stderr.trim().split('\n').at(-1) ?? '' }
  } catch (error) {
    return { isOk: false, message: (error as Error).message }
  }
}
