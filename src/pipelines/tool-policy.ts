import { homedir } from 'node:os'
import { isAbsolute, relative, resolve } from 'node:path'
import type { ToolKind } from '../activity/index.js'
import { rateRisk, readToolUse } from '../approvals/index.js'
import type { RoleName } from './args.js'

/** The worst a tool can do. */
const RISK: Readonly<Record<ToolKind, number>> = {
  read: 0,
  search: 0,
  plan: 0,
  web: 0,
  agent: 0,
  write: 1,
  shell: 2,
  other: 2,
}
const DESTRUCTIVE = 3

/** The maximum risk of each role. */
const RISK_MAX: Readonly<Record<RoleName, number>> = { architect: 1, developer: 2, reviewer: 0, evaluator: 0 }

const ALLOWED: Readonly<Record<RoleName, readonly ToolKind[]>> = {
  architect: ['read', 'search', 'web', 'plan', 'agent', 'write'],
  developer: ['read', 'search', 'web', 'plan', 'agent', 'write', 'shell', 'other'],
  reviewer: ['read', 'search', 'plan', 'agent'],
  evaluator: ['read', 'search', 'plan', 'agent'],
}

export interface RequestedTool {
  tool: string
  kind: ToolKind
  input: unknown
}

export type ToolPermission = { decision: 'allow' | 'deny' | 'ask'; reason: string }

/**
 * Whether a role may make a call. Checked in this order: the role's list, whether the tool is
 * known, its risk, whether it stays in the worktree; a person decides about anything destructive.
 */
export function judgeTool(role: RoleName, { tool, kind, input }: RequestedTool, worktree: string): ToolPermission {
  // A reading git command is reading, whatever runs it.
  const means: ToolKind = kind === 'shell' && isReadingGit(commandOf(input)) ? 'read' : kind
  if (!ALLOWED[role].includes(means)) return { decision: 'deny', reason: `the ${role} may not use ${tool} (${kind})` }
  if (means === 'other') return { decision: 'ask', reason: `${tool} is an unknown tool` }
  const risk = isDestructive({ tool, kind: means, input }, worktree) ? DESTRUCTIVE : RISK[means]
  if (risk === DESTRUCTIVE) return { decision: 'ask', reason: `${tool} may be destructive` }
  if (risk > RISK_MAX[role]) return { decision: 'deny', reason: `${tool} exceeds what the ${role} may do` }
  const outside = means === 'write' ? writtenPaths(tool, input).find(path => !isInside(worktree, path)) : undefined
  if (outside !== undefined) return { decision: 'deny', reason: `${outside} is outside the worktree` }
  return { decision: 'allow', reason: `allowed for the ${role}` }
}

/** A command that is not plainly harmless counts as destructive. */
function isDestructive({ tool, kind, input }: RequestedTool, worktree: string): boolean {
  if (kind !== 'shell') return false
  const command = commandOf(input)
  if (command === null) return false
  const rated = rateRisk(
    { kind: 'permission', tool, input, text: null, cwd: worktree },
    { project: worktree, home: homedir() },
  )
  return rated.level !== 'low'
}

const READ_ONLY_GIT = new Set(['diff', 'log', 'show', 'status', 'blame', 'ls-files', 'rev-parse'])
/** Options with which a reading git command writes a file or starts a program. */
const WRITING_GIT_OPTIONS = ['--output', '--ext-diff', '--textconv', '--open-files-in-pager', '--exec', '--paginate']
/** Characters that a shell interprets. */
const SHELL_MARKS = /[;&|<>`$(){}\n\\'"*?#!]/

/** A single plain git command that only reads; in doubt, false. */
function isReadingGit(command: string | null): boolean {
  if (command === null || SHELL_MARKS.test(command.trim())) return false
  const [git, ...words] = command.trim().split(/\s+/)
  const at = words[0] === '-C' ? 2 : words[0] === '--no-pager' ? 1 : 0
  return (
    git === 'git' &&
    READ_ONLY_GIT.has(words[at] ?? '') &&
    !words.slice(at + 1).some(word => WRITING_GIT_OPTIONS.some(option => word.split('=')[0] === option))
  )
}

function commandOf(input: unknown): string | null {
  if (typeof input === 'string') return input
  const { command } = (input ?? {}) as { command?: unknown }
  if (Array.isArray(command)) return command.join(' ')
  return typeof command === 'string' ? command : null
}

function writtenPaths(tool: string, input: unknown): readonly string[] {
  const use = readToolUse(tool, input)
  return use.kind === 'write' ? use.paths : []
}

function isInside(directory: string, path: string): boolean {
  const inside = relative(directory, resolve(directory, path))
  return !inside.startsWith('..') && !isAbsolute(inside)
}
