import CommandSupport
import TrendyHub

/// Finds users of a hub by name or id.
struct PeopleLookup {
  let accounts: HubAccounts

  /// Active and removed users.
  func everyone() throws -> [HubUser] { try accounts.users() + accounts.removedPeople() }

  /// Names of all users by id.
  func names() throws -> [String: String] {
    Dictionary(try everyone().map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
  }

  /// Finds an active user by name.
  func user(called name: String) throws -> HubUser {
    let users = try accounts.users()
    guard let named = users.first(where: { $0.name.lowercased() == name.lowercased() }) else {
      throw CommandError(
        "User '\(name)' not found",
        hint: "Users: \(users.map(\.name).joined(separator: ", ")).", exit: .notFound)
    }
    return named
  }

  /// Returns the only active user.
  /// - Parameter use: command line suggested if there are several users.
  func onlyPerson(for use: String) throws -> HubUser {
    let users = try accounts.users()
    guard users.count == 1 else {
      throw CommandError(
        "This hub has \(users.count) users", hint: "Name one: \(use) --name NAME", exit: .usage)
    }
    return users[0]
  }

  /// Finds a user by name or id.
  func user(_ word: String, among users: [HubUser]) throws(CommandError) -> HubUser {
    let found = users.filter { $0.id == word || $0.name.lowercased() == word.lowercased() }
    guard found.count == 1 else {
      throw CommandError(
        found.isEmpty ? "User '\(word)' not found" : "\(found.count) users are named '\(word)'",
        hint: found.isEmpty
          ? "List users: trendyd user list" : "Use one of the ids: \(found.map(\.id).joined(separator: ", "))",
        exit: .notFound)
    }
    return found[0]
  }
}

extension HubUser {
  /// First JSON members of a user.
  var members: [(String, JSONText)] { [("id", .string(id)), ("name", .string(name))] }
}
