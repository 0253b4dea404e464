import { Dialog } from '../ui/dialog'

/** Shows a paste of several lines before it is sent. */
export function PasteDialog(props: { text: string; onPaste(): void; onClose(): void }) {
  const lines = props.text.split(/\r\n|\r|\n/).length
  return (
    <Dialog
      title={`Paste ${lines} ${lines === 1 ? 'line' : 'lines'} into the terminal?`}
      onClose={props.onClose}
      foot={
        <>
          <button type="button" class="btn" onClick={props.onClose}>
            Back
          </button>
          <button type="button" class="btn solid" onClick={props.onPaste}>
            Paste
          </button>
        </>
      }
    >
      <pre class="code-box wrap" style={{ maxHeight: '320px' }}>
        {props.text.replace(/[^\P{Cc}\n\t]/gu, sign => `⟦${sign.charCodeAt(0).toString(16).padStart(2, '0')}⟧`)}
      </pre>
    </Dialog>
  )
}
