import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playSeeds } from '../simulation/play-seeds.js'
import { PROGRAM_KINDS, type ProgramKind, programTrial } from './program-sweep.js'
import { compileShim, KINDS, type Kind, LOSSES, Sweep } from './sweep.js'

/** A part of the proof: trials that are independent of each other, numbered from 1. */
export interface ProofPart {
  name: string
  /** What dies where, for the report. */
  what: string
  /** Counts the points of an undisturbed run; the trials follow from them. */
  count(): Promise<{ points: number; trials: number }>
  /** @throws Error that says which invariant is violated. */
  trial(at: number): Promise<void>
  close(): void
}

/** Seeds that are one trial: short enough to stop between two of them. */
const SEEDS_OF_TRIAL = 50

export function proofParts(seeds: number): ProofPart[] {
  return [
    ...KINDS.map(storePart),
    noticePart(),
    ...PROGRAM_KINDS.flatMap(kind => [programPart(kind, 'events'), programPart(kind, 'calls')]),
    seedsPart(seeds),
  ]
}

/** Store, ledger or engine, at each call that changes a file, with each kind of loss. */
function storePart(kind: Kind): ProofPart {
  const sweep = new Sweep(kind)
  return {
    name: kind,
    what: `${STORE_PARTS[kind]}: before each call that changes a file, with the unsynced writes kept, lost, or lost in part`,
    count: async () => {
      const points = await sweep.points()
      return { points, trials: points * LOSSES.length }
    },
    trial: at => sweep.trial(1 + Math.floor((at - 1) / LOSSES.length), LOSSES[(at - 1) % LOSSES.length]!),
    close: () => sweep.close(),
  }
}

const STORE_PARTS: Record<Kind, string> = {
  events: 'the store',
  decisions: 'the ledger of decisions',
  run: 'the engine with steps, branches, a gate, a child and a timer',
}

/**
 * Events of normal durability may be lost with the power. A sweep that demands them must find a
 * loss; if it does not, the other parts prove nothing.
 */
function noticePart(): ProofPart {
  const sweep = new Sweep('events', { demandsAll: true })
  return {
    name: 'notice',
    what: 'the sweep itself: it notices a loss that the store does not promise to prevent',
    count: async () => ({ points: 1, trials: 1 }),
    trial: async () => {
      const points = await sweep.points()
      for (let at = 1; at <= points; at++) {
        const lost = await sweep.trial(at, 'all').then(
          () => null,
          (error: Error) => error.message,
        )
        if (lost?.includes('was acknowledged and is lost')) return
        if (lost) throw new Error(lost)
      }
      throw new Error(`no loss was noticed at ${points} calls`)
    },
    close: () => sweep.close(),
  }
}

/** The daemon with a session, or the command that drives a run. */
function programPart(kind: ProgramKind, points: 'events' | 'calls'): ProofPart {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-shim-'))
  const shim = join(directory, 'shim.so')
  compileShim(shim)
  const isCalls = points === 'calls'
  // The keeper and its agents survive the daemon, so that a session cannot play a power failure.
  const lossAt = (at: number) => (isCalls && kind !== 'session' ? LOSSES[at % LOSSES.length]! : 'none')
  return {
    name: isCalls ? `${kind}-calls` : kind,
    what: `${PROGRAM_PARTS[kind]}: before each ${isCalls ? 'call that changes a file' : 'event becomes durable'}`,
    count: async () => {
      const counted = await programTrial(kind, shim, { at: 0, isCalls, loss: 'none' })
      return { points: counted, trials: counted }
    },
    trial: async at => void (await programTrial(kind, shim, { at, isCalls, loss: lossAt(at) })),
    close: () => rmSync(directory, { recursive: true, force: true }),
  }
}

const PROGRAM_PARTS: Record<ProgramKind, string> = {
  session: 'the daemon with a session that asks twice',
  oneshot: 'the command that drives a oneshot',
  graph: 'the command that drives a graph',
  pipeline: 'the command that drives a pipeline',
}

function seedsPart(seeds: number): ProofPart {
  return {
    name: 'seeds',
    what: `two hosts and three people in simulated time: ${seeds} seeds, ${SEEDS_OF_TRIAL} in a trial`,
    count: async () => ({ points: seeds, trials: Math.ceil(seeds / SEEDS_OF_TRIAL) }),
    trial: async at => {
      const first = 1 + (at - 1) * SEEDS_OF_TRIAL
      const count = Math.min(SEEDS_OF_TRIAL, seeds - first + 1)
      const problems = await playSeeds(Array.from({ length: count }, (_, n) => first + n))
      if (problems.length > 0) throw new Error(problems.join('; '))
    },
    close: () => undefined,
  }
}
