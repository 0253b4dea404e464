import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import { ownProgram, runCommand } from '../process/index.js'

const PREFIX = 'signalbox-demo-'
const MARK = '.made-by-signalbox-demo'

export function createDemoDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), PREFIX))
  writeFileSync(join(directory, MARK), 'created by signalbox demo; a later demo removes it after a day\n')
  return directory
}

/**
 * A small git project with a failing test, for the demo agent: it never plays in a person's own.
 */
export async function createSampleProject(directory: string, name: string): Promise<string> {
  const path = join(directory, name)
  if (existsSync(path)) return path
  mkdirSync(path)
  const program = ownProgram('demo-agent/main')
  const made = await runCommand(process.execPath, [program, '--sample-project', path], { cwd: directory })
  if (made.code !== 0) throw new SignalboxError('E_DEMO', `cannot create the sample project: ${made.stderr.trim()}`)
  return path
}

/** Only directories of this user that a demo created. */
export function demoDirectories(): string[] {
  return readdirSync(tmpdir())
    .filter(name => name.startsWith(PREFIX))
    .map(name => join(tmpdir(), name))
    .filter(directory => {
      try {
        return existsSync(join(directory, MARK)) && statSync(directory).uid === process.getuid?.()
      } catch {
        return false
      }
    })
}
