/**
 * What a button does. The store keeps it with the button's token for two weeks, so names and fields
 * stay as they are; the button itself carries only the token.
 */
export type ButtonAction =
  | {
      do: 'decide'
      approval: string
      fingerprint: string
      option?: string
      choices?: string[]
      isWhole: boolean
      /** With a denial: interrupts the turn as well. */
      thenInterrupt?: boolean
    }
  /** Shows other buttons below the same card. `isSeen`: the whole request was shown here. */
  | { do: 'keys'; approval: string; view: CardView; isSeen?: boolean }
  /** Sends the whole request, as a message or a file, with new buttons below it. */
  | { do: 'see-all'; approval: string }
  | { do: 'ask-reason'; approval: string }
  /** Asks for a text, which the person sends as a reply. */
  | { do: 'ask-answer'; approval: string }
  /** The ticks of a list after this press. */
  | { do: 'tick'; approval: string; ticked: string[]; page: number }
  | { do: 'current'; session: string }
  | { do: 'stop'; session: string; isSure: boolean }
  | { do: 'interrupt'; session: string }
  | { do: 'keypress'; session: string; key: string }
  /** The next step of /new, /oneshot, /implement or /review, with what was chosen so far. */
  | { do: 'wizard'; form: StartForm; page: number }
  | { do: 'send-text'; session: string; text: string; when: 'queue' | 'hold' }
  | { do: 'drop-prompt'; session: string; prompt: string }
  | { do: 'discard' }
  | { do: 'deny-with'; approval: string; fingerprint: string; text: string }
  | { do: 'run'; run: string; act: 'cancel' | 'pause' | 'resume' }
  | { do: 'resume-session'; session: string }
  | { do: 'download'; session: string; path: string; isOutside?: boolean }
  | { do: 'screen-file'; session: string }
  | { do: 'update-agent'; agent: string }
  | { do: 'lockdown' }
  /** Shows something; a press does not use the button up. */
  | { do: 'show-run'; run: string }
  | { do: 'show-session'; session: string }
  /** Creates the session's topic again after a person closed it. */
  | { do: 'new-topic'; session: string }

/** A card's buttons: the usual ones, all that are offered, or a confirmation. */
export type CardView = 'plain' | 'more' | 'confirm'

/** A button before it has a token. */
export type ButtonSpec =
  | { text: string; action: ButtonAction; style?: 'success' | 'danger' }
  | { text: string; url: string }

/** What a person wants to start, as far as they have chosen. */
export interface StartForm {
  kind: 'new' | 'oneshot' | 'implement' | 'review'
  project?: string
  agent?: string
  text?: string
  /** In a worktree, on a branch of its own. */
  isApart?: boolean
}
