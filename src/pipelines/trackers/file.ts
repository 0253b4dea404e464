import { readFileSync, statSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { SignalboxError } from '../../errors/index.js'
import { planLines } from '../plan/markdown-lines.js'
import { slugOf } from '../plan/plan-path.js'
import type { Issue } from '../state.js'
import type { Tracker } from './tracker.js'

const FILE_MAX_BYTES = 1024 * 1024

/** An issue in a file: its first heading is the title, the rest the description. */
export function fileTracker(cwd: string): Tracker {
  return {
    name: 'file',
    async fetch(reference) {
      return { issue: issueOfText(readIssueFile(resolve(cwd, reference), reference), reference), warning: null }
    },
  }
}

/** @throws SignalboxError `E_INPUT` if the file is unreadable, empty or too large. */
export function readIssueFile(path: string, name: string): string {
  let text: string
  try {
    if (statSync(path).size > FILE_MAX_BYTES)
      throw new SignalboxError('E_INPUT', `${name} is larger than 1 MiB`, { next: 'give a shorter issue' })
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof SignalboxError) throw error
    throw new SignalboxError('E_INPUT', `cannot read ${name}: ${(error as Error).message}`)
  }
  if (text.trim() === '') throw new SignalboxError('E_INPUT', `${name} is empty`, { next: 'describe what to do in it' })
  return text
}

export function issueOfText(text: string, name: string): Issue {
  const lines = planLines(text)
  const at = lines.findIndex(({ text: line, isFenced }) => !isFenced && /^#{1,6} +\S/.test(line))
  const heading = lines[at]?.text
    .replace(/^#+ +/, '')
    .replace(/ #+ *$/, '')
    .trim()
  const stem = basename(name, extname(name))
  const title = heading ?? lines.find(({ text: line }) => line.trim() !== '')?.text.trim() ?? stem
  const rest = at < 0 ? lines : lines.filter((_, index) => index !== at)
  const description = rest
    .map(({ text: line }) => line)
    .join('\n')
    .trim()
  return { id: slugOf(title), title, description, status: 'open' }
}
