import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AgentTranscript, TranscriptPlace } from './adapter.js'
import { ConversationReader } from './conversation.js'
import { GeminiConversation } from './gemini-conversation.js'
import { movableDirectory } from './home-directory.js'
import { namesIn, pathsIn, writtenSince } from './transcript-files.js'

export const geminiTranscript: AgentTranscript = {
  form: 'lines',
  locate,
  open: path => new ConversationReader(path, new GeminiConversation(path)),
}

/** Its settings and its conversations. */
export function geminiDirectory(env: NodeJS.ProcessEnv): string {
  return join(movableDirectory(env, 'GEMINI_CLI_HOME'), '.gemini')
}

/** `~/.gemini/tmp/<project>/chats/session-<time>-<first 8 of the id>.jsonl`; `.project_root` names the directory of a project. */
async function locate({ env, cwd, agentSessionId, startedAt }: TranscriptPlace): Promise<string[]> {
  const projects = join(geminiDirectory(env), 'tmp')
  const chats = (await namesIn(projects)).map(name => join(projects, name, 'chats'))
  if (agentSessionId !== null) {
    const end = `-${agentSessionId.slice(0, 8)}.jsonl`
    const isWanted = (name: string) => name.startsWith('session-') && name.endsWith(end)
    return writtenSince((await Promise.all(chats.map(folder => pathsIn(folder, isWanted)))).flat(), 0)
  }
  const isChat = (name: string) => name.startsWith('session-') && name.endsWith('.jsonl')
  const here: string[] = []
  for (const folder of chats) if (await isOfProject(folder, cwd)) here.push(...(await pathsIn(folder, isChat)))
  return writtenSince(here, startedAt)
}

async function isOfProject(chats: string, cwd: string): Promise<boolean> {
  const root = await readFile(join(dirname(chats), '.project_root'), 'utf8').catch(() => '')
  return root.trim() === cwd
}
