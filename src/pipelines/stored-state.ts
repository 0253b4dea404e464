import type { Artifacts, GraphInput } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { ARGS_INPUT, type PipelineArgs, pipelineArgs } from './args.js'
import { initialState } from './initial-state.js'
import { type ImplementationState, implementationState, parseState, SCHEMA_VERSION } from './state.js'

/*
 * How a state is stored in the context of a graph run: one key for each field that differs from its
 * initial value, so a step writes only what it changes. `history` is not stored there: its entries
 * are events of the run, and are added when a run is read.
 */

const PREFIX = 'state.'

/**
 * Parses the arguments of a run from its inputs. @throws SignalboxError `E_CONFIG` for a run of a
 * newer version.
 */
export function readArgs(context: Readonly<Record<string, unknown>>): PipelineArgs | null {
  const text = context[ARGS_INPUT]
  if (typeof text !== 'string') return null
  const parsed = pipelineArgs.safeParse(JSON.parse(text))
  if (parsed.success) return parsed.data
  throw new SignalboxError('E_CONFIG', 'the run was created by another version of Signalbox and cannot be read', {
    next: 'update Signalbox; the run was not changed',
    details: { issues: parsed.error.issues.slice(0, 5) },
  })
}

/** A fork has its original's arguments and a directory of its own. */
export function argsOfRun(
  args: PipelineArgs,
  run: string,
  { path, branch, base }: GraphInput['workspace'],
): PipelineArgs {
  if (args.workflowId === run) return args
  const mode = branch === null ? ('in_place' as const) : ('worktree' as const)
  const workspace = { mode, path, branch, base: base ?? args.workspace.base, isNewBranch: false, dirtyBefore: [] }
  return { ...args, workflowId: run, workspace }
}

/**
 * @throws SignalboxError `E_CONFIG` for a state of an unknown pipeline or a newer version; the run
 * is not changed.
 */
export function readState(
  context: Readonly<Record<string, unknown>>,
  args: PipelineArgs,
  artifacts: Artifacts,
  isFork = false,
): ImplementationState {
  const version = context[`${PREFIX}schema_version`] ?? SCHEMA_VERSION
  if (typeof version !== 'number' || version > SCHEMA_VERSION)
    throw new SignalboxError(
      'E_CONFIG',
      `the state of the run has version ${String(version)}; this version of Signalbox supports ${SCHEMA_VERSION}`,
      {
        next: 'update Signalbox; the run was not changed',
      },
    )
  const stored: Record<string, unknown> = {}
  for (const field of Object.keys(implementationState.shape)) {
    const key = `${PREFIX}${field}`
    if (Object.hasOwn(context, key)) stored[field] = loadWhole(context[key], artifacts)
  }
  // A fork has read the branch of its original run; its own is that of its workspace.
  const own = isFork ? { branch: args.workspace.branch, worktree: args.workspace.path } : {}
  return parseState({ ...initialState(args), ...stored, ...own })
}

/** The context updates for the changed fields. */
export function storedFields(
  state: ImplementationState,
  changed: readonly (keyof ImplementationState)[],
): Record<string, unknown> {
  return Object.fromEntries(
    changed.filter(field => field !== 'history').map(field => [`${PREFIX}${field}`, state[field]]),
  )
}

/** A value too large for the context is in an artifact. */
function loadWhole(value: unknown, artifacts: Artifacts): unknown {
  if (typeof value !== 'object' || value === null || !('artifact' in value) || !('path' in value)) return value
  return artifacts.get(String(value.artifact))
}
