import CommandSupport

struct SyncRepairCommand: Command {
  static let spec = CommandSpec(
    "sync repair", summary: "Repair problems that sync cannot solve, after a backup.", group: .sync,
    examples: ["sync repair --resync", "sync repair --dedupe"], options: RepairOptions.all)

  enum Answer {
    case forecast(RepairForecast)
    case doubles(DuplicateReport)
    /// Exit status of a repair by `trendyd`.
    case done(ExitCode)
  }

  private enum Repair {
    case none
    case withHub
    case dedupe(isRemoving: Bool)
  }

  private let repair: Repair

  init(_ session: Session) throws {
    let arguments = session.arguments
    let usesHub = arguments.has("--resync") || arguments.has("--requeue")
    guard arguments.has("--dedupe") else {
      repair = usesHub ? .withHub : .none
      return
    }
    if usesHub {
      throw session.usageError(
        "--dedupe cannot be combined with other repairs", hint: "Run one repair after the other.")
    }
    repair = .dedupe(isRemoving: arguments.has("--yes"))
  }

  func act(_ session: Session) throws -> Answer {
    switch repair {
    case .none: .forecast(try RepairForecast(session.openStore()))
    case .withHub: .done(try NetworkProgram.replaceThisProcess(with: session))
    case .dedupe(let isRemoving): .doubles(try DuplicateReport(session, isRemoving: isRemoving))
    }
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    switch answer {
    case .forecast(let forecast): forecast.show(session.console)
    case .doubles(let doubles): doubles.show(session)
    case .done(let exit): return exit
    }
    return .done
  }
}
