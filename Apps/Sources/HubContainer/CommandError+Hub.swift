public import CommandSupport
import TrendyHub
import TrendyPersistence

extension CommandError {
  /// Creates a message for a hub error, or returns `nil` for other errors.
  public init?(describingHub error: any Error) {
    switch error {
    case let error as HTTPTransportError:
      let parts = error.description.split(separator: ": ", maxSplits: 1)
      self.init(Self.sentence(parts[0]), hint: parts.count > 1 ? Self.sentence(parts[1]) : nil, exit: .configuration)
    case let error as HubStorageError:
      let (hint, exit): (String, ExitCode) =
        switch error {
        case .occupied: ("Choose another folder with --data or TRENDY_HUB_DATA.", .tryAgain)
        case .busy, .exhausted: ("No acknowledged data is lost.", .tryAgain)
        case .unreachable: ("No acknowledged data is lost. Check that the database is running.", .tryAgain)
        case .full, .erased, .unreadable, .store, .file, .refused, .newerSchema, .invalidAddress, .unsupported:
          ("No acknowledged data is lost.", .readWrite)
        }
      self.init(Self.sentence(error.description[...]), hint: hint, exit: exit)
    case let error as HubMove.Failure:
      let hint =
        switch error {
        case .nothingToMove: "Specify the hub with --data, --storage or the configuration."
        case .occupied: "Nothing was changed. Choose an empty database or a folder without a hub with --to."
        case .differs: "The hub is unchanged. Check the disk and the memory, then run this command again."
        case .changed: "The hub is unchanged. Stop all processes that serve it, then run this command again."
        }
      self.init("The hub was not moved: \(error.description)", hint: hint, exit: .refused)
    case let problem as Problem:
      // The title of a problem with status 400 is generic, so only the detail is shown.
      let what = problem.status == 400 ? Self.sentence(problem.detail[...]) : "\(problem.title): \(problem.detail)"
      self.init(what, exit: problem.status == 404 ? .notFound : .usage)
    default:
      return nil
    }
  }

  private static func sentence(_ text: Substring) -> String { (text.first?.uppercased() ?? "") + text.dropFirst() }
}
