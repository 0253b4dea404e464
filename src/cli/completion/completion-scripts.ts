/*
 * The scripts ask `signalbox complete` at each tab, so that they stay valid when Signalbox is
 * upgraded. Its first line is `files`, `directories` or `words`; each other line is a word, a tab
 * and a description.
 */

const BASH = `# bash completion for signalbox
_signalbox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" IFS=$'\\n' lines
  lines=( $(signalbox complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) )
  case "\${lines[0]}" in
    files) compopt -o filenames; COMPREPLY=( $(compgen -f -- "$current") ) ;;
    directories) compopt -o filenames; COMPREPLY=( $(compgen -d -- "$current") ) ;;
    *) COMPREPLY=( "\${lines[@]:1}" ); COMPREPLY=( "\${COMPREPLY[@]%%$'\\t'*}" ) ;;
  esac
}
complete -F _signalbox signalbox`

const ZSH = `#compdef signalbox
_signalbox() {
  local -a lines candidates
  lines=( \${(f)"$(signalbox complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)"} )
  case "$lines[1]" in
    files) _files ;;
    directories) _files -/ ;;
    *)
      candidates=( \${\${lines[2,-1]//:/\\\\:}/$'\\t'/:} )
      _describe -V signalbox candidates ;;
  esac
}
# In a file of $fpath this is the body of the function; sourced, it registers the function.
if [ "\${funcstack[1]}" = _signalbox ]; then _signalbox "$@"; else compdef _signalbox signalbox; fi`

const FISH = `# fish completion for signalbox
function __signalbox_complete
  set -l lines (signalbox complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  switch "$lines[1]"
    case files
      __fish_complete_path (commandline -ct)
    case directories
      __fish_complete_directories (commandline -ct)
    case '*'
      printf '%s\\n' $lines[2..-1]
  end
end
complete -c signalbox -f -k -a '(__signalbox_complete)'`

export const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
