import { join } from 'node:path'
import type { AgentTranscript, TranscriptPlace } from './adapter.js'
import { ConversationReader } from './conversation.js'
import { CopilotConversation } from './copilot-conversation.js'
import { movableDirectory } from './home-directory.js'
import { namesIn, writtenSince } from './transcript-files.js'

/** The whole system prompt, at the beginning of every turn. */
const SYSTEM_MESSAGE = Buffer.from('{"type":"system.message"')

/** `~/.copilot/session-state/<session>/events.jsonl`. Which directory a session worked in stands inside only. */
export const copilotTranscript: AgentTranscript = {
  form: 'lines',
  locate,
  open: path =>
    new ConversationReader(path, new CopilotConversation(path), {
      isWanted: line => !line.subarray(0, SYSTEM_MESSAGE.length).equals(SYSTEM_MESSAGE),
    }),
}

async function locate({ env, agentSessionId, startedAt }: TranscriptPlace): Promise<string[]> {
  const sessions = join(movableDirectory(env, 'COPILOT_HOME', '.copilot'), 'session-state')
  if (agentSessionId !== null) return writtenSince([join(sessions, agentSessionId, 'events.jsonl')], 0)
  const files = (await namesIn(sessions)).map(name => join(sessions, name, 'events.jsonl'))
  return writtenSince(files, startedAt)
}
