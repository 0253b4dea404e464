import { SignalboxError } from '../../errors/index.js'
import type { Person } from '../../people/index.js'
import { sessionTitle } from '../cards/session-title.js'
import { type CommandServices, type Requester, refusalText, requireRole } from '../command-services.js'
import { commandOf, runBotCommand } from '../commands/index.js'
import type { StartWizard } from '../commands/start-wizard.js'
import { escapeHtml } from '../outgoing/split.js'
import type { ButtonHandler } from './button-handler.js'
import type { FileTransfers } from './file-transfers.js'
import type { IncomingText } from './incoming-text.js'
import type { Intent } from './parse-update.js'

export interface IntentHandlers {
  services: CommandServices
  texts: IncomingText
  wizard: StartWizard
  files: FileTransfers
  buttons: ButtonHandler
  /** Records an attempt that the person has no right to. */
  onRefused(intent: Intent, update: number, reason: string): Promise<void>
  refusedCount(): Promise<number>
}

/** Does what a paired person asked for. @returns the result, for the log. */
export async function handleIntent(
  handlers: IntentHandlers,
  intent: Intent,
  person: Person,
  about: { update: number; isRetry: boolean },
): Promise<string> {
  const { services, buttons } = handlers
  if (intent.kind === 'member') {
    await services.chats.change(intent.chat, { isBlocked: !intent.isReachable })
    if (intent.isReachable) services.outbox.resume(intent.chat)
    return intent.isReachable ? 'reachable again' : 'gone'
  }
  await services.chats.change(intent.chat, {
    kind: intent.chatKind,
    isBlocked: false,
    ...(intent.chatKind === 'private' && { person: intent.from.id }),
    ...('isForum' in intent && intent.chatKind === 'supergroup' && { hasTopics: intent.isForum }),
  })
  services.outbox.resume(intent.chat)
  if (intent.kind === 'press') return buttons.handle(intent, person, about)
  if (intent.kind === 'topic') return handleClosedTopic(services, intent, person, about)
  const recipient = await services.chats.recipient(intent.chat)
  if (!recipient) return 'not reachable'
  const to: Requester = {
    person,
    from: intent.from.id,
    chat: intent.chat,
    recipient,
    message: intent.message,
    ...about,
    ...(intent.thread !== undefined && { thread: intent.thread }),
    ...(intent.replyTo !== undefined && { replyTo: intent.replyTo }),
  }
  if (intent.isForwarded)
    await handlers.onRefused(intent, about.update, 'forwarded: neither a command nor an answer nor a reason')
  try {
    return await handleMessage(handlers, intent, to)
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    if (error.code === 'E_ROLE') await handlers.onRefused(intent, about.update, error.message)
    await services.reply(to, escapeHtml(refusalText(error)), { isReply: true })
    return `refused: ${error.code}`
  }
}

async function handleMessage(
  handlers: IntentHandlers,
  intent: Exclude<Intent, { kind: 'press' | 'member' | 'topic' }>,
  to: Requester,
): Promise<string> {
  const { services, texts, files } = handlers
  switch (intent.kind) {
    case 'text':
      return texts.handle(intent.text, to, {
        at: intent.at,
        isForwarded: intent.isForwarded,
        ...(intent.origin !== undefined && { origin: intent.origin }),
      })
    case 'file':
      return files.upload(intent, to)
    case 'edited':
      requireRole(to.person, 'approver')
      return texts.edited(intent.text, to)
    case 'command': {
      const command = commandOf(intent.name)
      if (command) return runBotCommand(command, { ...handlers, to, rest: intent.rest })
      // Not a command of the bot: it is sent to the agent as it is.
      requireRole(to.person, 'approver')
      await services.requireSession(to)
      return texts.handle(intent.text, to, { at: intent.at, isForwarded: intent.isForwarded })
    }
  }
}

/** A person closed a topic: the session continues in the main chat, and the bot asks what to do. */
async function handleClosedTopic(
  services: CommandServices,
  { chat, thread, from }: Extract<Intent, { kind: 'topic' }>,
  person: Person,
  about: { update: number; isRetry: boolean },
): Promise<string> {
  const subject = await services.topics.subjectOf(chat, thread)
  if (subject === null) return 'not a topic of a session or run'
  await services.topics.detach(chat, subject)
  const recipient = await services.chats.recipient(chat)
  const record = await services.host.record(subject).catch(() => null)
  if (recipient && record && services.host.isRunning(subject)) {
    const to: Requester = { person, from: from.id, chat, recipient, ...about }
    await services.reply(
      to,
      `The topic of <b>${escapeHtml(sessionTitle(record))}</b> was closed. The session continues here.`,
      {
        about: subject,
        buttons: [
          [{ text: 'New topic', action: { do: 'new-topic', session: subject } }],
          [{ text: 'Stop the session', action: { do: 'stop', session: subject, isSure: false }, style: 'danger' }],
        ],
      },
    )
  }
  return `detached from ${subject}`
}
