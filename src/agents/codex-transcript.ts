import { join } from 'node:path'
import type { AgentTranscript, TranscriptPlace } from './adapter.js'
import { CodexConversation } from './codex-conversation.js'
import { ConversationReader } from './conversation.js'
import { movableDirectory } from './home-directory.js'
import { namesIn, pathsIn, writtenSince } from './transcript-files.js'

const DAY_MS = 24 * 60 * 60 * 1000

/** `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`, filed under the day the conversation began. */
export const codexTranscript: AgentTranscript = {
  form: 'lines',
  locate,
  open: path => new ConversationReader(path, new CodexConversation(path)),
}

async function locate({ env, agentSessionId, startedAt }: TranscriptPlace): Promise<string[]> {
  const sessions = join(movableDirectory(env, 'CODEX_HOME', '.codex'), 'sessions')
  if (agentSessionId !== null) {
    const end = `-${agentSessionId}.jsonl`
    for (const day of await days(sessions, 0)) {
      const found = await pathsIn(day, name => name.endsWith(end))
      if (found.length > 0) return found
    }
    return []
  }
  // Folders carry the local date, and a day more is nothing to look through.
  const found: string[] = []
  for (const day of await days(sessions, startedAt - 2 * DAY_MS))
    found.push(...(await pathsIn(day, name => name.startsWith('rollout-') && name.endsWith('.jsonl'))))
  return writtenSince(found, startedAt)
}

/** Folders of the days from `since` on, the newest first. */
async function days(sessions: string, since: number): Promise<string[]> {
  const found: string[] = []
  for (const year of newestFirst(await namesIn(sessions))) {
    for (const month of newestFirst(await namesIn(join(sessions, year)))) {
      for (const day of newestFirst(await namesIn(join(sessions, year, month))))
        if (Date.parse(`${year}-${month}-${day}T00:00:00Z`) >= since) found.push(join(sessions, year, month, day))
    }
  }
  return found
}

function newestFirst(names: readonly string[]): string[] {
  return names.filter(name => /^\d+$/.test(name)).reverse()
}
