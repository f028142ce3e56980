extension CommandTable {
  /// Manual page in section 1, in man(7) format.
  public var manual: String {
    let upper = program.uppercased()
    var lines = [
      ".TH \(upper) 1 \"\(Version.date)\" \"\(program) \(Version.text)\" \"Trendy\"", ".SH NAME",
      "\(program) \\- \(Self.roff(about))", ".SH SYNOPSIS", ".B \(program)", ".I command",
      "[options]",
      ".SH DESCRIPTION", Self.roff(about),
    ]
    for (group, commands) in groups {
      lines += [".SH \"\(Self.roff(group.name.uppercased()))\"", Self.roff(group.summary)]
      for command in commands { lines += entry(of: command) }
    }
    lines += [".SH OPTIONS", "These options apply to every command."]
    lines += globalOptions.flatMap { Self.entry(of: $0) }
    lines += [".SH NOTES"] + notes.flatMap { [".PP", Self.roff($0)] }.dropFirst()
    return lines.joined(separator: "\n")
  }

  private func entry(of command: CommandSpec) -> [String] {
    var lines = [".SS \"\(Self.roff(usage(of: command)))\"", Self.roff(command.summary)]
    lines += command.options.flatMap { Self.entry(of: $0) }
    if let columns = command.columnsLine { lines += [".PP", Self.roff("Columns of \(columns)")] }
    if !command.examples.isEmpty {
      lines += [".PP", ".nf", ".RS"] + command.examples.map { Self.roff("\(program) \($0)") } + [".RE", ".fi"]
    }
    return lines
  }

  private static func entry(of option: OptionSpec) -> [String] {
    let names = option.names.reversed().map { "\\fB\(roff($0))\\fR" }.joined(separator: ", ")
    return [".TP", names + (option.value.map { " \\fI\(roff($0))\\fR" } ?? ""), roff(option.help)]
  }

  /// Escapes text for roff, so that hyphens are not typeset as dashes and no line starts a request.
  private static func roff(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\"", with: "\\(dq")
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }
}
