import { join } from 'node:path'

/** What a command is given, for a home under `directory` and with nobody who reads what it says. */
export function silentContext(directory: string, cwd = directory) {
  const { PATH = '/usr/bin:/bin' } = process.env
  const ignore = () => undefined
  return {
    env: { PATH, HOME: directory, SIGNALBOX_HOME: join(directory, 'home') },
    cwd,
    isInteractive: false,
    isOutputTty: false,
    columns: 80,
    out: ignore,
    write: ignore,
    note: ignore,
    json: ignore,
    style: (_: string, text: string) => text,
  }
}
