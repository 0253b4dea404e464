/** What can be said in a chat, as data: it waits in the store, survives restarts, and is sent by the outbox. */
export type Button =
  /** `data` is a token already: nothing in it means anything. */
  { text: string; data: string; style?: 'success' | 'danger' } | { text: string; url: string }

export type Keyboard = readonly (readonly Button[])[]

export type Act =
  /** A message of its own: replies to commands, notices. */
  | { do: 'say'; html: string; keyboard?: Keyboard; replyTo?: number; forceReply?: boolean }
  /** The one message that shows its subject: sent once, edited ever after, without buttons when it is closed. */
  | {
      do: 'card'
      html: string
      keyboard: Keyboard
      isOpen: boolean
      forceReply?: boolean
      isBelow?: boolean
    }
  /** A finished answer: rich where it fits, else HTML in parts; begun with edits it is finished by an edit. */
  | { do: 'answer'; parts: readonly string[]; markdown: string | null; keyboard?: Keyboard }
  | { do: 'file'; name: string; text: string; caption: string }
  /** Bytes that lie on disk, checked when the button was made and again when it is sent. */
  | { do: 'download'; path: string; caption: string }
  /** The session of this topic has ended. */
  | { do: 'close-topic' }
  /** The session of this topic has another name. */
  | { do: 'name-topic' }

/** Said now or never: latest wins, lost in a crash, replaced by what comes next. */
export type Fleeting =
  | { do: 'draft'; draftId: number; text: string; markdown: string | null; thread?: number }
  | { do: 'grow'; html: string; topic?: string }
  | { do: 'typing' }

export interface Queued {
  chat: number
  /** The subject whose topic it belongs into, where the chat has topics. */
  topic?: string
  lane: 1 | 2 | 3
  subject: string
  /** Not said before this time. */
  notBefore?: number
  act: Act
}
