import { z } from 'zod'
import { defineEvents } from './catalogue.js'

const chat = z.int()

export const telegramEvents = defineEvents({
  'telegram.update-taken': {
    description: 'The bot accepted an update. Its number is stored, so that the same update is processed once.',
    data: z.object({ update: z.int(), intent: z.looseObject({ kind: z.string() }) }),
  },
  'telegram.update-started': {
    description:
      'The bot started to process the update. If `telegram.update-done` does not follow, it is unknown how far it got.',
    data: z.object({ attempt: z.int().positive() }),
  },
  'telegram.update-done': {
    description: 'The bot processed the update: done, refused or failed.',
    data: z.object({ result: z.enum(['done', 'refused', 'failed']), reason: z.string().optional() }),
  },
  'telegram.queued': {
    description: 'A message was queued for a chat.',
    data: z.object({
      chat,
      topic: z.string().optional(),
      lane: z.int().min(1).max(3),
      subject: z.string(),
      /** A person is active elsewhere: the message waits, and is dropped if it is over. */
      notBefore: z.int().optional(),
      act: z.record(z.string(), z.unknown()),
    }),
  },
  'telegram.sending': {
    description: 'A message is being sent. If no other event follows, it is unknown whether it arrived.',
    data: z.object({
      attempt: z.int().positive(),
      /** Telegram refused it, so that nothing of it has arrived. */
      isRefused: z.boolean().optional(),
    }),
  },
  'telegram.sent': {
    description: 'A queued message was sent.',
    data: z.object({ messages: z.array(z.int()), note: z.string().optional() }),
  },
  'telegram.dropped': {
    description: 'A queued message was dropped: it was superseded, too old, or permanently refused.',
    data: z.object({ reason: z.string() }),
  },
  'telegram.shown': {
    description: 'Which messages of a chat show a card or an answer, and what they contain.',
    data: z.object({
      chat,
      subject: z.string(),
      messages: z.array(z.int()),
      hash: z.string(),
      isOpen: z.boolean(),
      /** Messages that were deleted. */
      gone: z.array(z.int()).optional(),
    }),
  },
  'telegram.token-made': {
    description: 'A button was created. Only the hash of its token is stored.',
    data: z.object({
      chat,
      subject: z.string(),
      act: z.record(z.string(), z.unknown()),
      people: z.array(z.int()),
      expires: z.int(),
    }),
  },
  'telegram.token-used': {
    description: 'A button was pressed. Each button works once.',
    data: z.object({ by: z.int(), update: z.int(), result: z.string() }),
  },
  'telegram.chat-changed': {
    description: 'The settings of a chat changed: who uses it, its active session, whether it can be reached.',
    data: z.object({
      chat,
      kind: z.enum(['private', 'group', 'supergroup']).optional(),
      person: z.int().nullable().optional(),
      current: z.string().nullable().optional(),
      /** Sessions whose answers are sent to this chat. */
      follows: z.array(z.string()).optional(),
      isBlocked: z.boolean().optional(),
      hasTopics: z.boolean().optional(),
      movedTo: z.int().optional(),
      quietUntil: z.int().nullable().optional(),
      /** Notifications held back until quiet hours end. */
      held: z.array(z.string()).optional(),
      verbosity: z.int().min(0).max(2).optional(),
      cannot: z.record(z.string(), z.int()).optional(),
    }),
  },
  'telegram.topic-made': {
    description: 'A topic for a session or a run was created, renamed or closed in a chat.',
    data: z.object({ chat, subject: z.string(), thread: z.int().nullable(), name: z.string() }),
  },
  'telegram.log-read': {
    description: 'The bot has processed the log up to this position.',
    data: z.object({ position: z.int().nonnegative() }),
  },
  'telegram.refused': {
    description: 'An update was refused because its sender is not allowed to do this.',
    data: z.object({ update: z.int(), from: z.int().optional(), chat: chat.optional(), reason: z.string() }),
  },
  'telegram.health': {
    description: 'The connection state of the bot.',
    data: z.object({
      state: z.enum(['connected', 'not-receiving', 'stopped', 'unauthorized']),
      reason: z.string(),
    }),
  },
})
