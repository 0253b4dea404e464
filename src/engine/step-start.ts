import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Git } from '../git/index.js'
import type { AgentTurn } from './agent-step.js'

/** The state at the start of a step, saved in its directory: recovery compares against it. */
export interface StepStart {
  agent: string
  cwd: string
  tree: string | null
  /** `AgentTurn.foreignFiles`, under the name that the file has always used. */
  notItsOwn?: readonly string[]
  head: string | null
  startedAt: number
  sessionId: string | null
  pid: number | null
  processStart: string | null
}

export async function stateAtStart({ agent, cwd, foreignFiles }: AgentTurn, startedAt: number): Promise<StepStart> {
  const git = new Git(cwd)
  const tree = (await git.root()) === null ? null : await git.treeHash(foreignFiles)
  return {
    agent,
    cwd,
    tree,
    ...(foreignFiles && { notItsOwn: foreignFiles }),
    head: await git.head(),
    startedAt,
    sessionId: null,
    pid: null,
    processStart: null,
  }
}

/** How the working tree differs from the start of the step; null if it does not. */
export async function changesSince(start: StepStart): Promise<string | null> {
  if (start.tree === null) return null
  const git = new Git(start.cwd)
  const [tree, head] = [await git.treeHash(start.notItsOwn), await git.head()]
  const commits = head !== start.head && head !== null ? 'there are new commits' : null
  const files = tree === start.tree ? null : `${(await git.status()).length} files differ from the last commit`
  return commits || files
    ? ['the working tree changed while the step ran', commits, files].filter(Boolean).join('; ')
    : null
}

export function writeStart(directory: string, start: StepStart): void {
  writeFileSync(join(directory, 'start.json'), JSON.stringify(start), { mode: 0o600 })
}

export function readStart(directory: string): StepStart | null {
  try {
    return JSON.parse(readFileSync(join(directory, 'start.json'), 'utf8')) as StepStart
  } catch {
    return null
  }
}
