// Ownership of CUDA handles, on a fake handle type whose destroy function counts.
#include "core/handles.hpp"

#include <type_traits>

#include "tests/catch.hpp"

using namespace gvf;

namespace {

struct FakeObject {};
int destroyed = 0;
FakeObject* last_destroyed = nullptr;
cudaError_t destroy_result = cudaSuccess;

cudaError_t destroy_fake(FakeObject* raw) {
  ++destroyed;
  last_destroyed = raw;
  return destroy_result;
}

using FakeHandle = Handle<FakeObject*, destroy_fake>;

struct Counted {
  Counted() {
    destroyed = 0;
    last_destroyed = nullptr;
    destroy_result = cudaSuccess;
  }
};

static_assert(!std::is_copy_constructible_v<FakeHandle> && !std::is_copy_assignable_v<FakeHandle>);
static_assert(std::is_nothrow_move_constructible_v<FakeHandle> &&
              std::is_nothrow_move_assignable_v<FakeHandle>);
static_assert(std::is_nothrow_destructible_v<FakeHandle>);
static_assert(!std::is_convertible_v<FakeObject*, FakeHandle>, "taking ownership is spelt out");
static_assert(!std::is_copy_constructible_v<DeviceBuffer<float>>);
static_assert(std::is_nothrow_move_constructible_v<DeviceBuffer<float>> &&
              std::is_nothrow_move_assignable_v<DeviceBuffer<float>>);

template <class T>
T& same(T& object) {
  return object;  // hides a self-move from the compiler's warning
}

}  // namespace

TEST_CASE("handle: an empty one destroys nothing", "[core][handles]") {
  const Counted counted;
  {
    FakeHandle empty;
    CHECK_FALSE(empty);
    CHECK(empty.get() == nullptr);
    empty.reset();
  }
  CHECK(destroyed == 0);
}

TEST_CASE("handle: destroyed once, by the scope or by reset", "[core][handles]") {
  const Counted counted;
  FakeObject object;
  {
    const FakeHandle handle(&object);
    CHECK(handle);
    CHECK(handle.get() == &object);
    CHECK(destroyed == 0);
  }
  CHECK(destroyed == 1);
  CHECK(last_destroyed == &object);
  {
    FakeHandle handle(&object);
    handle.reset();
    CHECK(destroyed == 2);
    CHECK_FALSE(handle);
    handle.reset();
  }
  CHECK(destroyed == 2);
}

TEST_CASE("handle: the moved-from one is empty, may be tested, destroyed and assigned to",
          "[core][handles]") {
  const Counted counted;
  FakeObject first;
  FakeObject second;
  {
    FakeHandle from(&first);
    FakeHandle to(std::move(from));
    CHECK_FALSE(from);  // NOLINT: looking at the moved-from state is the point
    CHECK(from.get() == nullptr);
    CHECK(to.get() == &first);
    CHECK(destroyed == 0);
    from = FakeHandle(&second);
    CHECK(from.get() == &second);
    CHECK(destroyed == 0);
  }
  CHECK(destroyed == 2);
}

TEST_CASE("handle: move assignment destroys what was held, self-move keeps it", "[core][handles]") {
  const Counted counted;
  FakeObject first;
  FakeObject second;
  FakeHandle target(&first);
  FakeHandle source(&second);
  target = std::move(source);
  CHECK(destroyed == 1);
  CHECK(last_destroyed == &first);
  CHECK(target.get() == &second);
  CHECK_FALSE(source);  // NOLINT: see above
  target = std::move(same(target));
  CHECK(target.get() == &second);
  CHECK(destroyed == 1);
  target = FakeHandle();
  CHECK(destroyed == 2);
  CHECK_FALSE(target);
}

TEST_CASE("handle: a destroy that fails is reported and does not throw", "[core][handles]") {
  const Counted counted;
  destroy_result = cudaErrorInvalidResourceHandle;
  FakeObject object;
  FakeHandle handle(&object);
  handle.reset();
  CHECK(destroyed == 1);
  CHECK_FALSE(handle);
}

TEST_CASE("device buffer: an empty one needs no GPU", "[core][handles]") {
  DeviceBuffer<double> empty;
  CHECK_FALSE(empty);
  CHECK(empty.data() == nullptr);
  CHECK(empty.size() == 0);
  CHECK(empty.bytes() == 0);
  const DeviceBuffer<double> zero(0);
  CHECK_FALSE(zero);
  DeviceBuffer<double> moved(std::move(empty));
  CHECK_FALSE(moved);
  moved = std::move(same(moved));
  CHECK(moved.size() == 0);
}
