import { plural } from '../text/index.js'
import type { WorkerComparison, WorkerDifference } from '../workers/index.js'
import { type DoctorContext, type DoctorFinding, failure } from './finding.js'

const CHECK = 'workers'

/** What workers have and the log does not, and the reverse: after a restore of the database. */
export async function checkWorkers({ workers }: DoctorContext): Promise<DoctorFinding[]> {
  try {
    return ((await workers()) ?? []).flatMap(findingsOf)
  } catch (error) {
    return [failure(CHECK, error)]
  }
}

function findingsOf({ worker, notCompared, sessions, steps, differences }: WorkerComparison): DoctorFinding[] {
  if (notCompared !== null)
    return [
      {
        check: CHECK,
        level: 'note',
        message: `${worker} was not compared with the log: ${notCompared}`,
        next: `signalbox workers show ${worker}`,
      },
    ]
  if (differences.length === 0) {
    const has = `${plural(sessions, 'session')} and ${plural(steps, 'step')}`
    return [{ check: CHECK, level: 'ok', message: `${worker} and the log agree about ${has}` }]
  }
  return differences.map(difference => ({ check: CHECK, level: 'warning', ...wordsFor(worker, difference) }))
}

const LOGGED = {
  unknown: 'no event knows it',
  ended: 'it has ended in the log',
  elsewhere: 'another machine has it in the log',
}

function wordsFor(worker: string, { what, id, is }: WorkerDifference): { message: string; next: string } {
  const restart = `restart signalbox worker on ${worker}`
  const run = id.split('/')[0]!
  if (is === 'missing')
    return what === 'session'
      ? {
          message: `session ${id} runs on ${worker} in the log, and ${worker} does not have it`,
          next: `${restart}: the session is then lost, and signalbox resume ${id} continues it`,
        }
      : {
          message: `step ${id} is open on ${worker} in the log, and ${worker} does not perform it`,
          next: `${restart}: it asks for its steps again; if no server drives the run, signalbox resume ${run}`,
        }
  switch (what) {
    case 'session':
      return { message: `${worker} runs session ${id}: ${LOGGED[is]}`, next: `${restart}: it ends the session` }
    case 'step':
      return { message: `${worker} performs step ${id}: ${LOGGED[is]}`, next: `${restart}: it ends the step` }
    case 'recording':
      return {
        message: `${worker} has a recording of session ${id}: ${LOGGED[is]}`,
        next: `on ${worker}: signalbox replay <data directory>/worker/recordings/${id}.cast, then remove the file`,
      }
    case 'workspace':
      return {
        message: `${worker} has the files of run ${id}: ${LOGGED[is]}`,
        next: `on ${worker}: keep what you need of <data directory>/workspaces/${id}, then remove it`,
      }
  }
}
