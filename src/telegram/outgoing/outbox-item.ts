/** A button: `data` is a random token that means nothing outside the store. */
type Button = { text: string; data: string; style?: 'success' | 'danger' } | { text: string; url: string }

export type InlineKeyboard = readonly (readonly Button[])[]

/**
 * What the bot does in a chat, as data: it waits in the store, survives restarts, and the outbox
 * sends it. The field names are stored with the items.
 */
export type OutboxAction =
  /** A message of its own: a reply to a command, a notification. */
  | { do: 'say'; html: string; keyboard?: InlineKeyboard; replyTo?: number; forceReply?: boolean }
  /** The one message of its subject: sent once, then edited; closed without buttons. */
  | {
      do: 'card'
      html: string
      keyboard: InlineKeyboard
      isOpen: boolean
      forceReply?: boolean
      isBelow?: boolean
    }
  /** A finished answer: a rich message, else HTML in parts; one that grew is edited. */
  | { do: 'answer'; parts: readonly string[]; markdown: string | null; keyboard?: InlineKeyboard }
  | { do: 'file'; name: string; text: string; caption: string }
  /** A file on disk, checked when the button was made and again when it is sent. */
  | { do: 'download'; path: string; caption: string }
  /** The buttons of a message have been used; the message stays. */
  | { do: 'remove-keyboard'; message: number }
  /** The session of this topic has ended. */
  | { do: 'close-topic' }
  /** The session of this topic has a new name. */
  | { do: 'name-topic' }

/** Sent now or never: the newest wins, a crash loses it, and the next one replaces it. */
export type EphemeralAction =
  | { do: 'draft'; draftId: number; text: string; markdown: string | null; thread?: number }
  | { do: 'grow'; html: string; topic?: string }
  | { do: 'typing' }

export interface OutboxItem {
  chat: number
  /** The subject whose topic it belongs to, where the chat has topics. */
  topic?: string
  /** Priority: 1 requests for decisions, 2 answers and replies, 3 notifications. */
  lane: 1 | 2 | 3
  subject: string
  /** Not sent before this time. */
  notBefore?: number
  act: OutboxAction
}
