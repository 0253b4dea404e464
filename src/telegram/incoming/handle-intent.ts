import { SignalboxError } from '../../errors/index.js'
import type { Person } from '../../people/index.js'
import { sessionTitle } from '../cards/names.js'
import { type Asker, type Desk, needRole } from '../command-services.js'
import { commandOf, runCommand } from '../commands/index.js'
import type { Starter } from '../commands/start-wizard.js'
import { escapeHtml } from '../outgoing/split.js'
import type { Presses } from './button-handler.js'
import type { Files } from './file-transfers.js'
import type { Words } from './incoming-text.js'
import type { Intent } from './parse-update.js'

export interface PerformOptions {
  desk: Desk
  words: Words
  starter: Starter
  files: Files
  presses: Presses
  /** Somebody tried what is not theirs to do: on record, and nothing more. */
  refused(intent: Intent, update: number, reason: string): Promise<void>
  knocks(): Promise<number>
}

/** What somebody who may speak here asked for, from the intent to what came of it. What goes wrong is said where it was asked. */
export async function perform(
  options: PerformOptions,
  intent: Intent,
  person: Person,
  about: { update: number; isAgain: boolean },
): Promise<string> {
  const { desk, presses } = options
  if (intent.kind === 'member') {
    await desk.chats.change(intent.chat, { isBlocked: !intent.isReachable })
    return intent.isReachable ? 'reachable again' : 'gone'
  }
  await desk.chats.change(intent.chat, {
    kind: intent.chatKind,
    isBlocked: false,
    ...(intent.chatKind === 'private' && { person: intent.from.id }),
    ...('isForum' in intent && intent.chatKind === 'supergroup' && { hasTopics: intent.isForum }),
  })
  if (intent.kind === 'press') return presses.perform(intent, person, about.update, about.isAgain)
  if (intent.kind === 'topic') return closedTopic(desk, intent, person, about)
  const reader = await desk.chats.reader(intent.chat)
  if (!reader) return 'not reachable'
  const to: Asker = {
    person,
    from: intent.from.id,
    chat: intent.chat,
    reader,
    message: intent.message,
    ...about,
    ...(intent.thread !== undefined && { thread: intent.thread }),
    ...(intent.replyTo !== undefined && { replyTo: intent.replyTo }),
  }
  if (intent.isForwarded) await options.refused(intent, about.update, 'forwarded: no command, no answer, no reason')
  try {
    return await spoken(options, intent, to)
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    if (error.code === 'E_ROLE') await options.refused(intent, about.update, error.message)
    await desk.say(to, escapeHtml([error.message, error.next].filter(Boolean).join(' ')), { isReply: true })
    return `refused: ${error.code}`
  }
}

async function spoken(
  options: PerformOptions,
  intent: Exclude<Intent, { kind: 'press' | 'member' | 'topic' }>,
  to: Asker,
): Promise<string> {
  const { desk, words, files } = options
  switch (intent.kind) {
    case 'text':
      return words.take(intent.text, to, {
        at: intent.at,
        isForwarded: intent.isForwarded,
        ...(intent.origin !== undefined && { origin: intent.origin }),
      })
    case 'file':
      return files.upload(intent, to)
    case 'edited':
      needRole(to.person, 'approver')
      return words.edited(intent.text, to)
    case 'command': {
      const command = commandOf(intent.name)
      if (command) return runCommand(command, { ...options, to, rest: intent.rest })
      // Not ours: the agent's own, as it stands.
      needRole(to.person, 'approver')
      await desk.need(to)
      return words.take(intent.text, to, { at: intent.at, isForwarded: intent.isForwarded })
    }
  }
}

/** Closing a topic ends nothing: its session goes on without it, and what else is wanted is asked. */
async function closedTopic(
  desk: Desk,
  { chat, thread, from }: Extract<Intent, { kind: 'topic' }>,
  person: Person,
  about: { update: number; isAgain: boolean },
): Promise<string> {
  const subject = await desk.topics.subjectOf(chat, thread)
  if (subject === null) return 'no topic of ours'
  await desk.topics.detach(chat, subject)
  const reader = await desk.chats.reader(chat)
  const record = await desk.host.record(subject).catch(() => null)
  if (reader && record && desk.host.live(subject)) {
    const to: Asker = { person, from: from.id, chat, reader, ...about }
    await desk.say(
      to,
      `The topic of <b>${escapeHtml(sessionTitle(record))}</b> was closed. The session goes on here.`,
      {
        about: subject,
        keys: [
          [{ text: 'A new topic', press: { do: 'new-topic', session: subject } }],
          [{ text: 'Stop the session', press: { do: 'stop', session: subject, isSure: false }, style: 'danger' }],
        ],
      },
    )
  }
  return `detached from ${subject}`
}
