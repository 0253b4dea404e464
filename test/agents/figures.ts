import { appendFileSync, statSync } from 'node:fs'
import type { AgentHome, Approval } from './agent-home.js'

/** One measured time, for the table at the end of the run. */
export function figure(agent: string, name: string, ms: number): void {
  const file = process.env.SIGNALBOX_TEST_FIGURES
  if (file) appendFileSync(file, `${JSON.stringify({ agent, figure: name, ms })}\n`)
}

/**
 * From the bytes that complete the menu on the terminal to the pending approval, and from the
 * decision to the first key. The recording file is created at the start of the recording, so its
 * creation time is time zero.
 */
export async function measureApproval(home: AgentHome, session: string, approval: Approval): Promise<void> {
  const path = home.recordingFile(session)
  const zero = statSync(path).birthtimeMs
  const events = home.recording(session)
  const moments = await home.ndjson<{ t: number; view: string }>(['replay', path, '--agent', home.agent.name, '--json'])
  const shown = moments.filter(({ t, view }) => view === 'tool_menu' && zero + t * 1000 <= approval.requestedAt + 1000)
  const frame = shown.at(-1)
  const bytes = events.filter(([t, code]) => code === 'o' && frame !== undefined && t <= frame.t + 0.0005).at(-1)
  if (bytes) figure(home.agent.name, 'menu on screen → pending', approval.requestedAt - (zero + bytes[0] * 1000))
  const decided = (await home.approval(approval.id)).decision?.at
  if (decided === undefined) return
  const key = events.find(([t, code]) => code === 'i' && zero + t * 1000 >= decided)
  if (key) figure(home.agent.name, 'decision → first key', zero + key[0] * 1000 - decided)
}
