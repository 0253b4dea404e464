import { isAbsolute, join } from 'node:path'
import type { AgentTranscript, TranscriptPlace } from './adapter.js'
import { ConversationReader } from './conversation.js'
import { movableDirectory } from './home-directory.js'
import { QwenConversation } from './qwen-conversation.js'
import { namesIn, pathsIn, writtenSince } from './transcript-files.js'

/** `~/.qwen/projects/<directory, dashed>/chats/<session>.jsonl`. */
export const qwenTranscript: AgentTranscript = {
  form: 'lines',
  locate,
  open: path => new ConversationReader(path, new QwenConversation(path)),
}

async function locate({ env, cwd, agentSessionId, startedAt }: TranscriptPlace): Promise<string[]> {
  const moved = env.QWEN_RUNTIME_DIR
  const home = moved !== undefined && isAbsolute(moved) ? moved : movableDirectory(env, 'QWEN_HOME', '.qwen')
  const projects = join(home, 'projects')
  if (agentSessionId !== null) {
    const files = (await namesIn(projects)).map(name => join(projects, name, 'chats', `${agentSessionId}.jsonl`))
    return writtenSince(files, 0)
  }
  const here = join(projects, cwd.replace(/[^a-zA-Z0-9]/g, '-'), 'chats')
  return writtenSince(await pathsIn(here, name => name.endsWith('.jsonl')), startedAt)
}
