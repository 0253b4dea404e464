/** What a button does. Kept with its token in the store; the button itself carries nothing. */
export type Press =
  | {
      do: 'decide'
      approval: string
      fingerprint: string
      option?: string
      choices?: string[]
      isWhole: boolean
      /** With a denial: the turn is interrupted, too. */
      thenInterrupt?: boolean
    }
  /** Other keys under the same card. */
  | { do: 'keys'; approval: string; face: CardFace /** The whole request was shown here. */; isSeen?: boolean }
  /** The whole request, as a message or a file, with new buttons under it. */
  | { do: 'see-all'; approval: string }
  | { do: 'ask-reason'; approval: string }
  /** An answer in the person's own words, by a reply to the question that follows. */
  | { do: 'ask-answer'; approval: string }
  /** How the list looks after this press: the ticks are in the store with the button. */
  | { do: 'tick'; approval: string; ticked: string[]; page: number }
  | { do: 'current'; session: string }
  | { do: 'stop'; session: string; isSure: boolean }
  | { do: 'interrupt'; session: string }
  | { do: 'keypress'; session: string; key: string }
  /** A step of /new, /oneshot, /implement, /review: what is chosen so far is in the store with the button. */
  | { do: 'wizard'; wish: Wish; page: number }
  | { do: 'send-text'; session: string; text: string; when: 'queue' | 'hold' }
  | { do: 'drop-prompt'; session: string; prompt: string }
  | { do: 'discard' }
  | { do: 'deny-with'; approval: string; fingerprint: string; text: string }
  | { do: 'run'; run: string; act: 'cancel' | 'resume' }
  | { do: 'resume-session'; session: string }
  | { do: 'download'; session: string; path: string; isOutside?: boolean }
  | { do: 'screen-file'; session: string }
  | { do: 'update-agent'; agent: string }
  | { do: 'lockdown' }
  /** Looking only: not used up by a press. */
  | { do: 'show-run'; run: string }
  | { do: 'show-session'; session: string }
  /** The session gets a topic again, after somebody closed it. */
  | { do: 'new-topic'; session: string }

/** How a card's keys look now: the plain ones, everything the request offers, or the question "really?". */
export type CardFace = 'plain' | 'more' | 'really'

/** A button that is not made yet: it becomes one when it has a token. */
export type KeyWish = { text: string; press: Press; style?: 'success' | 'danger' } | { text: string; url: string }

/** What somebody wants to start, as far as they have said. */
export interface Wish {
  kind: 'new' | 'oneshot' | 'implement' | 'review'
  project?: string
  agent?: string
  text?: string
  /** In a worktree and on a branch of its own. */
  isApart?: boolean
}
