import { join } from 'node:path'

/** A command's context with a home below `directory` that discards all output. */
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
    progress: ignore,
    json: ignore,
    style: (_: string, text: string) => text,
  }
}
