/** What a button does. Kept with its token in the store; the button itself carries nothing. */
export type Press =
  | { do: 'decide'; approval: string; fingerprint: string; option?: string; choices?: string[]; isWhole: boolean }
  /** Other keys under the same card. */
  | { do: 'keys'; approval: string; face: CardFace }
  /** The whole request, as a message or a file, with new buttons under it. */
  | { do: 'see-all'; approval: string }
  | { do: 'ask-reason'; approval: string }
  | { do: 'toggle'; approval: string; choice: string }
  | { do: 'page'; approval: string; page: number }
  | { do: 'current'; session: string }
  | { do: 'stop'; session: string; isSure: boolean }
  | { do: 'interrupt'; session: string }
  | { do: 'keypress'; session: string; key: string }
  | { do: 'choose'; wizard: string; value: string }
  | { do: 'send-text'; session: string; text: string }
  | { do: 'drop-prompt'; session: string; prompt: string }
  | { do: 'discard' }
  | { do: 'deny-with'; approval: string; fingerprint: string; text: string }
  | { do: 'run'; run: string; act: 'cancel' | 'resume' }
  | { do: 'resume-session'; session: string }
  | { do: 'download'; session: string; path: string }
  | { do: 'screen-file'; session: string }
  | { do: 'confirm'; what: string; then: Record<string, unknown> }

/** How a card's keys look now: the plain ones, everything the request offers, or the question "really?". */
export type CardFace = 'plain' | 'more' | 'really' | 'whole'

/** A button that is not made yet: it becomes one when it has a token. */
export interface KeyWish {
  text: string
  press: Press
  style?: 'success' | 'danger'
}
