#if canImport(SwiftUI)
  import SwiftUI
  import TrendySync

  struct CoffeeView: View {
    let journal: CoffeeJournal
    @State private var status = SyncStatus()

    var body: some View {
      VStack {
        Button("Coffee") { Task { try await journal.drink("espresso") } }
        if status.isBusy { ProgressView() }
        Text(status.line).font(.footnote)
      }
      .task { await status.follow(journal.states) }
      .refreshable { await journal.sync() }
    }
  }
#endif
