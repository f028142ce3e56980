/// Something that can stand next on a command line.
public struct Candidate: Hashable, Sendable {
  /// As it is typed.
  public var text: String
  /// What it is, in a few words.
  public var meaning: String

  public init(_ text: String, _ meaning: String = "") {
    self.text = text
    self.meaning = meaning
  }
}

/// What the program knows of the values that there are.
public protocol CompletionValues {
  /// - Parameters:
  ///   - kind: what is meant.
  ///   - arguments: those before it, such as the type whose properties are asked for.
  func values(of kind: ValueKind, after arguments: [String]) -> [Candidate]
}

extension CommandTable {
  /// What can follow: words of commands, options that were not given yet, the values that there are.
  /// - Parameters:
  ///   - words: those of the command line so far, without the program's name; the last is being typed, and may be empty.
  ///   - values: knows what there is.
  public func candidates(for words: [String], values: some CompletionValues) -> [Candidate] {
    guard let typed = words.last else { return [] }
    let before = Array(words.dropLast())
    let spec = commands.filter { before.starts(with: $0.path) }.max { $0.path.count < $1.path.count }
    let rest = spec.map { Array(before.dropFirst($0.path.count)) } ?? []
    let options = (spec?.options ?? []) + globalOptions
    var found: [Candidate] = []
    if let last = rest.last, let option = options.first(where: { $0.names.contains(last) }), let kind = option.kind {
      found = self.values(of: kind, after: positionals(of: rest.dropLast(), options), values)
    } else if typed.hasPrefix("-") {
      found = options.filter { option in !option.names.contains(where: rest.contains) }
        .map { Candidate($0.names[0], $0.help) }
    } else {
      found = nextWords(after: before)
      let arguments = positionals(of: rest[...], options)
      for argument in spec?.arguments(at: arguments.count) ?? [] {
        found += self.values(of: argument.kind, after: arguments, values)
      }
    }
    let wanted = typed.lowercased()
    return found.filter { $0.text.lowercased().hasPrefix(wanted) }
  }

  private func positionals(of words: ArraySlice<String>, _ options: [OptionSpec]) -> [String] {
    var positionals: [String] = []
    var rest = words
    while let word = rest.popFirst() {
      guard word.hasPrefix("-") else {
        positionals.append(word)
        continue
      }
      if options.contains(where: { $0.names.contains(word) && $0.kind != nil }) { _ = rest.popFirst() }
    }
    return positionals
  }

  /// The next words of commands that begin so.
  private func nextWords(after words: [String]) -> [Candidate] {
    var found: [Candidate] = []
    for (_, commands) in groups {
      for command in commands where command.path.count > words.count && command.path.starts(with: words) {
        let word = command.path[words.count]
        if found.contains(where: { $0.text == word }) { continue }
        found.append(Candidate(word, command.path.count == words.count + 1 ? command.summary : ""))
      }
    }
    return found
  }

  private func values(
    of kind: ValueKind, after arguments: [String], _ values: some CompletionValues
  ) -> [Candidate] {
    switch kind {
    case .oneOf(let words): words.map { Candidate($0) }
    case .command: nextWords(after: arguments)
    default: values.values(of: kind, after: arguments)
    }
  }
}

/// A shell whose completion the programs can serve.
public enum CompletionShell: String, Hashable, Sendable, CaseIterable {
  case bash
  case fish
  case zsh

  /// What the shell reads to ask `program words -- …` for candidates: one a line, what it means behind a tab. Where the first
  /// line is `:files`, names of files are meant.
  public func script(for program: String) -> String {
    switch self {
    case .bash: Self.bash(program)
    case .fish: Self.fish(program)
    case .zsh: Self.zsh(program)
    }
  }

  private static func bash(_ program: String) -> String {
    """
    # bash completion of \(program)
    _\(program)() {
      local cur=${COMP_WORDS[COMP_CWORD]} line words prefix=
      # The words as they were typed: bash parts them at '=' and ':' as well.
      read -ra words <<< "${COMP_LINE:0:COMP_POINT}"
      [[ ${COMP_LINE:COMP_POINT-1:1} == ' ' ]] && words+=('')
      local typed=${words[${#words[@]}-1]}
      [[ $typed == *[=:]* ]] && prefix=${typed%"$cur"}
      COMPREPLY=()
      while IFS= read -r line; do
        if [[ $line == :files ]]; then
          compopt -o filenames 2>/dev/null
          mapfile -t COMPREPLY < <(compgen -f -- "$cur")
          return
        fi
        line=${line%%$'\\t'*}
        COMPREPLY+=("$(printf '%q' "${line#"$prefix"}")")
      done < <("${COMP_WORDS[0]}" words -- "${words[@]:1}" 2>/dev/null)
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
      local -a found shown
      local line text
      while IFS= read -r line; do
        if [[ $line == :files ]]; then
          _files
          return
        fi
        text=${line%%$'\\t'*}
        found+=("$text")
        shown+=("$text  ${line#*$'\\t'}")
      done < <("${words[1]}" words -- "${(@)words[2,CURRENT]}" 2>/dev/null)
      (( $#found )) && compadd -l -d shown -a found
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
      set -l words (commandline -opc) (commandline -ct)
      set -l found ($words[1] words -- $words[2..-1] 2>/dev/null)
      if test "$found[1]" = :files
        __fish_complete_path (commandline -ct)
      else
        printf '%s\\n' $found
      end
    end
    complete -c \(program) -f -a '(__\(program)_words)'

    """
  }
}

/// Of a program that knows no values of its own: words, options and files are offered.
public struct NoValues: CompletionValues, Sendable {
  public init() {}

  public func values(of kind: ValueKind, after arguments: [String]) -> [Candidate] {
    kind == .file || kind == .folder ? [.files] : []
  }
}

extension Candidate {
  /// Stands for the names of files, which the shell itself knows best.
  public static let files = Candidate(":files")
}

extension CompletionShell {
  /// The shell that a person named.
  /// - Throws: ``CommandError`` with exit 64.
  public init(named name: String) throws(CommandError) {
    guard let shell = CompletionShell(rawValue: name) else {
      throw CommandError(
        "There are no completions for '\(name)'",
        hint: "There are: \(Self.allCases.map(\.rawValue).joined(separator: ", ")).", exit: .usage)
    }
    self = shell
  }
}
