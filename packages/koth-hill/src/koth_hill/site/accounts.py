"""Accounts: registration, passwords, tokens, and deletion."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordMixin
from django.contrib.auth.views import LoginView, PasswordResetConfirmView
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from koth.errors import KothError
from koth.names import LONGEST_NAME
from koth_hill import authors, tokens
from koth_hill.models import Author
from koth_hill.site import sign_ins
from koth_hill.site.roles import for_authors
from koth_hill.uploads import read_policy

BACKEND = "django.contrib.auth.backends.ModelBackend"
page = require_http_methods(["GET", "HEAD", "POST"])


class JoinForm(SetPasswordMixin, forms.Form):
    """The form for registration: a name, and a password twice."""

    name = forms.CharField(
        max_length=LONGEST_NAME,
        help_text="Everybody sees this name with your bots.",
        widget=forms.TextInput({"autocomplete": "username", "autofocus": True}),
    )
    password1, password2 = SetPasswordMixin.create_password_fields()

    def clean(self) -> dict[str, Any]:
        self.validate_passwords()
        cleaned: dict[str, Any] = super().clean()
        self.validate_password_for_user(Author(name=cleaned.get("name", "")))
        return cleaned


@page
@sensitive_post_parameters()
def join(request: HttpRequest) -> HttpResponse:
    """Make an account, if the host allows registration."""
    if not read_policy().open_registration:
        raise Http404
    form = JoinForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            author = authors.register(form.cleaned_data["name"], form.cleaned_data["password1"])
        except KothError as error:
            form.add_error("name", ValidationError(str(error)))
        else:
            login(request, author, BACKEND)
            return redirect("write")
    return render(request, "join.html", {"form": form})


@sensitive_post_parameters()
def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign an author in; `koth_hill.site.sign_ins` has the locks after failures."""
    refusal = sign_ins.refuse_locked(request) if request.method == "POST" else None
    return refusal or LoginView.as_view(template_name="sign-in.html")(request)


class SetPassword(PasswordResetConfirmView):
    """The page of a signed link, with which an author sets a password."""

    template_name = "set-password.html"
    post_reset_login = True
    post_reset_login_backend = BACKEND

    def get_user(self, uidb64: str) -> Author | None:
        """Return the author for whom a link was made; None if the author is suspended."""
        author: Author | None = super().get_user(uidb64)
        return author if author is not None and author.is_active else None

    def get_success_url(self) -> str:
        """Return the page on which the author, or the host, begins."""
        return reverse("host" if self.user.is_host else "write")

    def form_valid(self, form: Any) -> HttpResponse:
        """Store the password; the author's code becomes invalid."""
        self.user.code = ""
        return super().form_valid(form)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return the page's values without a title, which the frame sets."""
        return {key: value for key, value in super().get_context_data(**kwargs).items() if key != "title"}


set_password = SetPassword.as_view()


class CodeForm(forms.Form):
    code = forms.CharField(
        max_length=20,
        help_text="Eight letters and digits, from your host.",
        widget=forms.TextInput({"autocomplete": "off", "autofocus": True, "autocapitalize": "characters"}),
    )


@page
@sensitive_post_parameters()
def code(request: HttpRequest) -> HttpResponse:
    """Redirect from the code of an invitation to the page on which its author sets a password."""
    form = CodeForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        author = authors.find_author_by_code(form.cleaned_data["code"])
        if author is not None:
            return redirect(authors.password_link(author, settings.SITE_URL))
        form.add_error("code", "Check the code: this one is mistyped, used, or older than two weeks.")
    return render(request, "code.html", {"form": form}, status=422 if form.errors else 200)


class DeleteForm(forms.Form):
    """The form that confirms a deletion by the password."""

    password = forms.CharField(
        label="Your password", widget=forms.PasswordInput({"autocomplete": "current-password"})
    )


class TokenForm(forms.Form):
    """The form for a new token, with its purpose."""

    name = forms.CharField(
        max_length=tokens.LONGEST_TOKEN_NAME, label="What it is for", help_text="Such as: laptop, CI."
    )


@for_authors
@page
@sensitive_post_parameters()
def account(request: HttpRequest) -> HttpResponse:
    """Show an author's account; change the password, make a token, or delete the account, as the form's `do` says."""
    author = Author.objects.get(pk=request.user.pk)
    do = request.POST.get("do", "")
    password = PasswordChangeForm(author, request.POST if do == "password" else None, prefix="password")
    password.fields["old_password"].widget.attrs.pop("autofocus", None)  # it stands in the middle of the page
    context: dict[str, Any] = {
        "password": password,
        "token": TokenForm(request.POST if do == "token" else None, prefix="token"),
        "delete": DeleteForm(request.POST if do == "delete" else None, prefix="delete"),
        "tokens": author.tokens.all(),
        "url": settings.SITE_URL,
    }
    if do == "password" and context["password"].is_valid():
        context["password"].save()
        update_session_auth_hash(request, author)
        messages.success(request, "Your password is changed; other browsers are signed out.")
        return redirect("account")
    if do == "token" and context["token"].is_valid():
        try:
            context["new"] = tokens.make_token(author, context["token"].cleaned_data["name"])
            context["token"] = TokenForm(prefix="token")
        except KothError as error:
            context["token"].add_error(None, str(error))
    if do == "delete" and context["delete"].is_valid():
        try:
            if not author.check_password(context["delete"].cleaned_data["password"]):
                raise KothError("type your password again: this one is wrong")
            authors.delete(author, settings.HILL)
        except KothError as error:
            context["delete"].add_error(None, str(error))
        else:
            logout(request)
            messages.success(request, "Your account is deleted.")
            return redirect("home")
    return render(request, "my-account.html", context)


@for_authors
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke a token."""
    if not request.user.tokens.filter(pk=pk).delete()[0]:
        raise Http404
    messages.success(request, "The token is revoked.")
    return redirect("account")
