"""A namespace that only repeats the folders of its file is not printed."""

import pytest

from symindex.render.markdown import without_folders


@pytest.mark.parametrize(("container", "path", "shown"), [
    ("Illuminate.Container.Container.build", "src/Illuminate/Container/Container.php", "Container.build"),
    ("Newtonsoft.Json.Linq.JObject.Parse", "Src/Newtonsoft.Json/Linq/JObject.cs", "JObject.Parse"),
    ("com.shop.Cart", "src/main/java/com/shop/Cart.java", "Cart"),
    ("shop", "src/shop/a.php", "shop"),
    ("other.Cart", "src/shop/a.php", "other.Cart"),
    ("shop.Cart", "shop/cart/a.php", "shop.Cart"),
    ("Cart.add", "a.py", "Cart.add"),
])  # fmt: skip
def test_what_is_printed_of_a_container(container: str, path: str, shown: str) -> None:
    assert without_folders(container, path) == shown
