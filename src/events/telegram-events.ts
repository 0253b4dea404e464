import { z } from 'zod'
import { defineEvents } from './catalogue.js'

const chat = z.int()

/** What the bot took, said and still has to say. Streams `telegram/…`; nothing here decides anything. */
export const telegramEvents = defineEvents({
  'telegram.update-taken': {
    description: 'An update of the bot is ours now: known by its number, so that seen again it does nothing.',
    data: z.object({ update: z.int(), intent: z.looseObject({ kind: z.string() }) }),
  },
  'telegram.update-begun': {
    description: 'What the update asks for is being done; without an end after this nobody knows how far it got.',
    data: z.object({ attempt: z.int().positive() }),
  },
  'telegram.update-done': {
    description: 'What the update asked for was done, refused, or did not work.',
    data: z.object({ result: z.enum(['done', 'refused', 'failed']), reason: z.string().optional() }),
  },
  'telegram.queued': {
    description: 'Something is to be said in a chat.',
    data: z.object({
      chat,
      topic: z.string().optional(),
      lane: z.int().min(1).max(3),
      subject: z.string(),
      /** Somebody sits at another surface: not said before this time, and not at all if it is over by then. */
      notBefore: z.int().optional(),
      act: z.record(z.string(), z.unknown()),
    }),
  },
  'telegram.sending': {
    description: 'It is on its way; without an end after this nobody knows whether it arrived.',
    data: z.object({
      attempt: z.int().positive(),
      /** It was refused as a whole: nothing of it can have arrived. */
      isRefused: z.boolean().optional(),
    }),
  },
  'telegram.sent': {
    description: 'What was to be said has arrived.',
    data: z.object({ messages: z.array(z.int()), note: z.string().optional() }),
  },
  'telegram.dropped': {
    description: 'What was to be said will not be: it was overtaken, too old, or refused for good.',
    data: z.object({ reason: z.string() }),
  },
  'telegram.shown': {
    description: 'Which messages of a chat show a card or an answer, and what they say.',
    data: z.object({
      chat,
      subject: z.string(),
      messages: z.array(z.int()),
      hash: z.string(),
      isOpen: z.boolean(),
      /** Messages that cannot be found any more. */
      gone: z.array(z.int()).optional(),
    }),
  },
  'telegram.token-made': {
    description: 'A button was made; its token is known only by its hash.',
    data: z.object({
      chat,
      subject: z.string(),
      act: z.record(z.string(), z.unknown()),
      people: z.array(z.int()),
      expires: z.int(),
    }),
  },
  'telegram.token-used': {
    description: 'A button was pressed, once and for all.',
    data: z.object({ by: z.int(), update: z.int(), result: z.string() }),
  },
  'telegram.chat-changed': {
    description: 'What is known of a chat: who speaks there, its current session, whether it can be reached.',
    data: z.object({
      chat,
      kind: z.enum(['private', 'group', 'supergroup']).optional(),
      person: z.int().nullable().optional(),
      current: z.string().nullable().optional(),
      /** Sessions whose answers are told here. */
      follows: z.array(z.string()).optional(),
      isBlocked: z.boolean().optional(),
      hasTopics: z.boolean().optional(),
      movedTo: z.int().optional(),
      quietUntil: z.int().nullable().optional(),
      /** Notices that wait for the end of quiet hours. */
      held: z.array(z.string()).optional(),
      verbosity: z.int().min(0).max(2).optional(),
      cannot: z.record(z.string(), z.int()).optional(),
    }),
  },
  'telegram.topic-made': {
    description: 'A session or a run has a topic of its own in a chat.',
    data: z.object({ chat, subject: z.string(), thread: z.int().nullable(), name: z.string() }),
  },
  'telegram.read-on': {
    description: 'What the log tells up to here has been put into words or passed over.',
    data: z.object({ position: z.int().nonnegative() }),
  },
  'telegram.refused': {
    description: 'Somebody or something tried what is not theirs to do; nothing happened.',
    data: z.object({ update: z.int(), from: z.int().optional(), chat: chat.optional(), reason: z.string() }),
  },
  'telegram.health': {
    description: 'Whether the bot hears and can speak.',
    data: z.object({ state: z.enum(['connected', 'deaf', 'stopped', 'unauthorized']), reason: z.string() }),
  },
})
