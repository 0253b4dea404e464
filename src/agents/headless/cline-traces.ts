import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clineData, clineTranscript } from '../cline-transcript.js'
import { isRecord, parseRecord, textOf } from '../json-lines.js'
import { namesIn, writtenSince } from '../transcript-files.js'
import { examineTranscript } from './examine.js'
import type { Findings, StepTraces } from './headless.js'

/** Cline's traces: a session of version 3 by its process id, else a task of earlier ones. */
export async function examineCline(traces: StepTraces): Promise<Findings> {
  const sessionId = traces.sessionId ?? (await sessionOf(traces))
  if (sessionId !== null) return examineTranscript(clineTranscript, { ...traces, sessionId }, { isTurnOver })
  return (await examineTask(traces)) ?? examineTranscript(clineTranscript, traces, { isTurnOver })
}

/** The state next to the messages: `completed`, or `idle` when a person could continue. */
async function isTurnOver(file: string): Promise<boolean> {
  const state = parseRecord(await readFile(file.replace(/\.messages\.json$/, '.json'), 'utf8').catch(() => ''))
  return state?.status === 'completed' || state?.status === 'idle'
}

async function sessionOf({ env, cwd, pid, startedAt }: StepTraces): Promise<string | null> {
  const sessions = join(clineData(env), 'sessions')
  const names = await namesIn(sessions)
  const files = await writtenSince(
    names.map(name => join(sessions, name, `${name}.json`)),
    startedAt,
  )
  for (const file of files) {
    const state = parseRecord(await readFile(file, 'utf8').catch(() => ''))
    if (!state) continue
    const id = textOf(state.session_id) ?? textOf(state.id)
    const isHere = [state.cwd, state.workspace_root].includes(cwd)
    if (id !== undefined && (state.pid === pid || (pid === null && isHere))) return id
  }
  return null
}

/** `tasks/<id>/ui_messages.json`: a list of `say` and `ask` records. */
async function examineTask({ env, startedAt, sessionId }: StepTraces): Promise<Findings | null> {
  const tasks = join(clineData(env), 'tasks')
  const files = (await namesIn(tasks)).map(name => join(tasks, name, 'ui_messages.json'))
  const [file] = await writtenSince(files, startedAt)
  if (file === undefined) return null
  const found = { isComplete: false, hasWork: false, text: null, sessionId }
  let messages: unknown
  try {
    messages = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    const says = `could not be read: ${(error as Error).message}`
    return { ...found, evidence: [{ source: 'transcript', locator: file, says }] }
  }
  const said = (Array.isArray(messages) ? messages : []).filter(isRecord)
  const end = said.findLast(({ say, partial }) => say === 'completion_result' && partial !== true)
  const last = said.findLast(({ say, partial }, index) => index > 0 && say === 'text' && partial !== true)
  const says = end ? 'the task ends with a completion' : 'the task has no completion'
  return {
    isComplete: end !== undefined,
    hasWork: said.length > 1,
    text: textOf(end?.text) ?? textOf(last?.text) ?? null,
    sessionId,
    evidence: [{ source: 'transcript', locator: file, says }],
  }
}
