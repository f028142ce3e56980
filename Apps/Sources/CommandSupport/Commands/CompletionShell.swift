/// Shell for which completion scripts can be generated.
public enum CompletionShell: String, Hashable, Sendable, CaseIterable {
  case bash
  case fish
  case zsh

  /// Returns the completion script for a program.
  ///
  /// The script runs `program words`, which prints one candidate per line, followed by a tab and its description. The
  /// line `:files` makes the shell complete file names.
  public func script(for program: String) -> String {
    switch self {
    case .bash: Self.bash(program)
    case .fish: Self.fish(program)
    case .zsh: Self.zsh(program)
    }
  }

  /// Returns the script for bash. The script passes the whole line and `COMP_WORDBREAKS` to the program, because bash
  /// completes only the part of a word after the last of these break characters.
  private static func bash(_ program: String) -> String {
    """
    # bash completion of \(program)
    _\(program)() {
      local line current=${COMP_WORDS[COMP_CWORD]} typed=${COMP_LINE:0:COMP_POINT}
      COMPREPLY=()
      while IFS= read -r line; do
        if [[ $line == :files ]]; then
          compopt -o default 2>/dev/null
          return
        fi
        line=${line%%$'\\t'*}
        [[ -z $line ]] && continue
        # Inside quotes that were opened, bash quotes by itself.
        [[ $current == [\\"\\']* ]] || printf -v line '%q' "$line"
        COMPREPLY+=("$line")
      done < <("${COMP_WORDS[0]/#\\~\\//$HOME/}" words --line "$typed" --breaks "$COMP_WORDBREAKS" 2>/dev/null)
      [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    }
    complete -F _\(program) \(program)

    """
  }

  private static func zsh(_ program: String) -> String {
    """
    #compdef \(program)
    # zsh completion of \(program)
    _\(program)() {
      local -a whole begun wholeShown begunShown
      local line text typed=$PREFIX
      # Quotes that were opened are not part of what was typed.
      [[ -z $compstate[quote] ]] && typed=${(Q)PREFIX}
      while IFS= read -r line; do
        if [[ $line == :files ]]; then
          [[ $PREFIX == --*=* ]] && compset -P '*='
          _files
          return
        fi
        text=${line%%$'\\t'*}
        if [[ $text == *= ]]; then
          begun+=("$text")
          begunShown+=("${line/$'\\t'/  }")
        else
          whole+=("$text")
          wholeShown+=("${line/$'\\t'/  }")
        fi
      done < <("${(Q)~words[1]}" words -- "${(@Q)words[2,CURRENT-1]}" "$typed" 2>/dev/null)
      (( $#begun )) && compadd -l -S '' -d begunShown -a begun
      (( $#whole )) && compadd -l -d wholeShown -a whole
    }
    if [[ $funcstack[1] == _\(program) ]]; then
      _\(program) "$@"
    else
      compdef _\(program) \(program)
    fi

    """
  }

  private static func fish(_ program: String) -> String {
    """
    # fish completion of \(program)
    function __\(program)_words
      set -l words (commandline -opc)
      $words[1] words --line (commandline -cp | string collect) 2>/dev/null
    end
    function __\(program)_wants_files
      set -l found (__\(program)_words)
      test "$found[1]" = :files
    end
    complete -c \(program) -n __\(program)_wants_files -F
    complete -c \(program) -n 'not __\(program)_wants_files' -f -a '(__\(program)_words)'

    """
  }
}

extension CompletionShell {
  /// Returns the name of the file from which the shell loads a program's completions.
  public func fileName(for program: String) -> String {
    switch self {
    case .bash: program
    case .fish: "\(program).fish"
    case .zsh: "_\(program)"
    }
  }

  /// Parses a shell name.
  /// - Throws: ``CommandError`` with exit 64 for an unknown shell.
  public init(named name: String) throws(CommandError) {
    guard let shell = CompletionShell(rawValue: name) else {
      throw CommandError(
        "Unknown shell '\(name)'",
        hint: "Supported shells: \(Self.allCases.map(\.rawValue).joined(separator: ", ")).", exit: .usage)
    }
    self = shell
  }
}
