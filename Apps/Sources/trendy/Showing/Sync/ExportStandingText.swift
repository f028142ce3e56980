import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels

/// How the exports stand that the agent makes by itself: by what lies in their folder, and what the store notes of the last try.
struct ExportStandingText {
  /// Seconds after which one that is due was forgotten; an agent looks each minute.
  private static let patience = 3600.0

  private let plan: ExportPlan
  private let local: LocalTime
  /// `nil` where the folder is not there.
  private let names: [String]?
  private let last: String?
  private let next: Date
  private let isLate: Bool
  private let failure: String?
  private let failedAt: Date?

  /// - Returns: `nil` where nothing is to be exported.
  init?(_ session: Session, _ container: AppContainer) throws {
    guard let plan = try ExportPlan(session.settings) else { return nil }
    self.plan = plan
    local = session.local
    // That the folder is missing is what is said.
    names = try? ScheduledExport.names(in: URL(filePath: plan.folder))
    last = plan.schedule.last(of: names ?? [], now: session.now, in: local)
    next = plan.schedule.next(after: names ?? [], now: session.now, in: local)
    isLate = last != nil && next.addingTimeInterval(Self.patience) < session.now
    let standing = try ExportStanding(in: container.makeLocalStore())
    let isOfThis = standing?.folder == plan.folder
    (failure, failedAt) = isOfThis ? (standing?.failure, standing?.failedAt) : (nil, nil)
  }

  /// What is wrong; `nil` where all is well.
  var finding: String? {
    if names == nil { return "exports go to \(plan.folder), and there is no such folder" }
    if let failure {
      return "the export \(failedAt.map { "of \(local.dayAndTime($0)) " } ?? "")was not made: \(failure)"
    }
    if isLate { return "an export is due since \(local.dayAndTime(next)): does the agent run? trendyd status" }
    return nil
  }

  var line: String {
    if let finding { return finding }
    let what = "\(plan.format) to \(plan.folder) every \(plan.every)"
    guard let last else { return "\(what), the first is to come" }
    return "\(what), last \(last), next \(local.day(next))"
  }

  var json: JSONText {
    .object([
      ("every_s", .number(plan.schedule.interval)), ("to", .string(plan.folder)), ("format", .string(plan.format)),
      ("keep", .number(plan.schedule.keep)), ("last", .string(last)), ("next", .string(local.rfc3339(next))),
      ("finding", .string(finding)),
    ])
  }
}
